//! The grammar of the shell, and which parts of it we know.

use std::borrow::Cow;
use std::cell::RefCell;

use tree_sitter::{Parser, Tree};

thread_local! {
    /// Making a parser costs more than reading a command.
    static PARSER: RefCell<Option<Parser>> = const { RefCell::new(None) };
}

/// The tree of a text. It always has one; parts that are no shell are marked in it.
pub(super) fn parse(text: &str) -> Option<Tree> {
    PARSER.with_borrow_mut(|slot| {
        if slot.is_none() {
            let mut parser = Parser::new();
            parser
                .set_language(&tree_sitter_bash::LANGUAGE.into())
                .ok()?;
            *slot = Some(parser);
        }
        slot.as_mut()?.parse(&*plain(text), None)
    })
}

/// The text with an ordinary letter in place of every byte beyond ASCII, so that places stay as they
/// are. To the shell both are parts of a word; the grammar's own tables are not sound for all of them.
fn plain(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let plain = text
        .bytes()
        .map(|byte| if byte.is_ascii() { byte } else { b'x' });
    Cow::Owned(plain.map(char::from).collect())
}

/// Parts of the grammar whose children can be walked without thought.
pub(super) fn is_known(kind: &str) -> bool {
    #[rustfmt::skip]
    const KNOWN: [&str; 50] = [
        "program", "list", "subshell", "compound_statement", "negated_command",
        "if_statement", "elif_clause", "else_clause", "while_statement", "for_statement",
        "c_style_for_statement", "do_group", "case_statement", "case_item", "command_name",
        "command_substitution", "process_substitution", "variable_assignments", "concatenation",
        "string", "string_content", "raw_string", "ansi_c_string", "translated_string", "word",
        "number", "expansion", "simple_expansion", "arithmetic_expansion", "brace_expression",
        "array", "subscript", "variable_name", "special_variable_name", "file_descriptor",
        "file_redirect", "herestring_redirect", "heredoc_body", "heredoc_content",
        "heredoc_start", "heredoc_end", "test_operator", "regex", "extglob_pattern",
        "binary_expression", "unary_expression", "ternary_expression", "postfix_expression",
        "parenthesized_expression", "comment",
    ];
    KNOWN.contains(&kind)
}
