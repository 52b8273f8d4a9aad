//! Placeholders in settings: `${NAME}`, and `${NAME:-otherwise}`.

/// The text with its placeholders filled in. `$` without a brace is itself.
pub(crate) fn expand(
    text: &str,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<String, String> {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        expanded.push_str(&rest[..start]);
        let inner = &rest[start + 2..];
        let end = inner
            .find('}')
            .ok_or_else(|| format!("{text:?} has a placeholder without its closing brace"))?;
        let (name, otherwise) = match inner[..end].split_once(":-") {
            Some((name, otherwise)) => (name, Some(otherwise)),
            None => (&inner[..end], None),
        };
        let value = variable(name).or_else(|| otherwise.map(str::to_owned));
        expanded.push_str(&value.ok_or_else(|| format!("the variable {name} is not set"))?);
        rest = &inner[end + 1..];
    }
    expanded.push_str(rest);
    Ok(expanded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&str, &str>) {
        let variable = |name: &str| (name == "WHO").then(|| "${WHO} whale".to_owned());
        let expanded = expand(text, &variable);
        assert_eq!(
            expanded.as_deref().map_err(String::as_str),
            expected,
            "{text}"
        );
    }

    #[test]
    fn placeholders_are_filled_in_once() {
        check("plain $WHO {WHO}", Ok("plain $WHO {WHO}"));
        check("a ${WHO}!", Ok("a ${WHO} whale!"));
        check("${NOBODY:-me} and ${WHO:-x}", Ok("me and ${WHO} whale"));
        check("${NOBODY:-}", Ok(""));
        check("${NOBODY}", Err("the variable NOBODY is not set"));
        check(
            "${WHO",
            Err("\"${WHO\" has a placeholder without its closing brace"),
        );
    }
}
