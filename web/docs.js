// The description of the Runtime API, drawn from the document that the server gives out. Nothing
// comes from elsewhere, and text of the document is only ever shown as text, never as markup.

const $ = (id) => document.getElementById(id);
const METHODS = ["get", "post", "put", "patch", "delete"];

// The token lives in this variable, or in the cookie that the page of `codewhale web` has set.
let token = "";
let api = null;

// A token in the address moves to the cookie, and leaves the address bar and the history.
function takeToken() {
  const address = new URL(location.href);
  const given = address.searchParams.get("token");
  if (!given) return;
  document.cookie = `codewhale_runtime_token=${encodeURIComponent(given)}; Path=/; SameSite=Strict`;
  address.searchParams.delete("token");
  history.replaceState(null, "", address);
}

function ask(path) {
  return fetch(path, { headers: token ? { Authorization: `Bearer ${token}` } : {} });
}

function element(tag, className, ...content) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...content.filter((part) => part !== undefined && part !== null));
  return made;
}

function resolve(part) {
  if (!part?.$ref) return part ?? {};
  return part.$ref.slice(2).split("/").reduce((at, name) => at?.[name], api) ?? {};
}

function nameOf(reference) {
  return reference.split("/").pop();
}

// What a schema is, in a few words.
function kindOf(schema) {
  if (schema.$ref) return nameOf(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.map(kindOf).join(" | ");
  if (schema.allOf) return schema.allOf.map(kindOf).join(" & ");
  const kinds = [schema.type ?? "any"].flat().map((kind) => (kind === "array" && schema.items ? `list of ${kindOf(schema.items)}` : kind));
  return kinds.join(" | ") + (schema.format ? ` (${schema.format})` : "");
}

function boundsOf(schema) {
  const said = [];
  if (schema.minimum !== undefined && schema.maximum !== undefined) said.push(`${schema.minimum} to ${schema.maximum}`);
  if (schema.maxLength !== undefined) said.push(`at most ${schema.maxLength} characters`);
  if (schema.default !== undefined && schema.default !== null) said.push(`default ${JSON.stringify(schema.default)}`);
  return said.length ? `, ${said.join(", ")}` : "";
}

function line(name, schema, required, description) {
  const kind = element("span", "kind", ` ${kindOf(schema)}${boundsOf(schema)}`);
  const made = element("li", "", element("code", required ? "must" : "", name), kind);
  const text = description ?? schema.description;
  if (text) made.append(element("p", "", text));
  const inner = detailOf(schema);
  if (inner) made.append(inner);
  return made;
}

// What a member is made of is drawn when someone opens it: types may hold themselves.
function detailOf(schema) {
  const whole = resolve(schema.items ?? (schema.anyOf ?? schema.oneOf ?? []).find((choice) => choice.$ref) ?? schema);
  if (!whole.properties && !whole.oneOf) return null;
  if (!schema.$ref && !schema.items && !schema.anyOf) return null;
  const made = element("details", "", element("summary", "note", "what it is made of"));
  made.addEventListener("toggle", () => made.append(members(whole)), { once: true });
  return made;
}

function members(schema) {
  const list = element("ul", "members");
  const whole = resolve(schema);
  for (const [name, member] of Object.entries(whole.properties ?? {})) {
    list.append(line(name, member, whole.required?.includes(name)));
  }
  (whole.oneOf ?? whole.anyOf ?? []).forEach((choice, index) => list.append(line(`${index + 1}.`, choice, false)));
  if (whole.items) list.append(line("each", whole.items, false));
  if (!list.children.length) list.append(element("li", "", element("span", "kind", kindOf(whole))));
  return list;
}

function copyable(text) {
  const shown = element("pre", "", text);
  const button = element("button", "", "Copy");
  button.type = "button";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      // Addresses other than this machine's own have no clipboard: the text is marked instead.
      getSelection().selectAllChildren(shown);
      button.textContent = "Press Ctrl+C";
    }
  });
  return element("div", "", shown, button);
}

function curl(method, path, operation) {
  const shown = path.replaceAll(/\{(\w+)\}/g, (_, name) => `$${name.toUpperCase()}`);
  const streams = Boolean(resolve(operation.responses["200"])?.content?.["text/event-stream"]);
  const words = [`curl ${streams ? "-N " : ""}-X ${method.toUpperCase()} "${location.origin}${shown}"`];
  if (operation.security?.length !== 0) words.push(`-H "Authorization: Bearer $TOKEN"`);
  const body = operation.requestBody?.content["application/json"];
  if (body) words.push(`-H "Content-Type: application/json"`, `-d '${JSON.stringify(body.example).replaceAll("'", "'\\''")}'`);
  return words.join(" \\\n  ");
}

function answers(operation) {
  const table = element("div", "answers");
  for (const [status, given] of Object.entries(operation.responses)) {
    table.append(element("code", "", status), element("span", "", resolve(given).description));
  }
  return table;
}

function shapes(operation) {
  const made = [];
  for (const [status, given] of Object.entries(operation.responses)) {
    if (given.$ref) continue;
    for (const [kind, content] of Object.entries(given.content ?? {})) {
      made.push(element("h3", "", `Answer ${status}, ${kind}`), members(content.schema));
      const example = typeof content.example === "string" ? content.example : JSON.stringify(content.example, null, 2);
      made.push(element("details", "", element("summary", "note", "example"), element("pre", "", example)));
    }
  }
  return made;
}

// A form that sends the request. Only for looks: nothing on this page changes anything.
function attempt(path, operation) {
  const form = element("form", "try");
  const wanted = (operation.parameters ?? []).filter((parameter) => parameter.in !== "header");
  for (const parameter of wanted) {
    const input = element("input");
    input.name = parameter.name;
    input.required = parameter.required;
    form.append(element("label", "", element("span", parameter.required ? "must" : "", parameter.name), input));
  }
  const shown = element("pre");
  shown.hidden = true;
  form.append(element("div", "", element("button", "", "Send")), shown);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const given = new FormData(form);
    const query = new URLSearchParams();
    let address = path;
    for (const { name, in: place } of wanted) {
      const value = given.get(name);
      if (place === "path") address = address.replace(`{${name}}`, encodeURIComponent(value));
      else if (value) query.set(name, value);
    }
    shown.hidden = false;
    shown.textContent = "…";
    try {
      const answer = await ask(`${address}?${query}`);
      const text = await answer.text();
      shown.textContent = `${answer.status} ${answer.statusText}\n\n${pretty(text)}`;
    } catch (error) {
      shown.textContent = `The server did not answer: ${error.message}`;
    }
  });
  return form;
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function describe(method, path, operation) {
  const made = [];
  if (operation.description) made.push(element("p", "note", operation.description));
  if (operation["x-scope"]) made.push(element("p", "note", `Scope of the token: ${operation["x-scope"]}`));
  if (operation.parameters?.length) {
    const list = element("ul", "members");
    for (const parameter of operation.parameters) {
      const schema = parameter.schema.$ref ? { ...resolve(parameter.schema), properties: undefined } : parameter.schema;
      list.append(line(`${parameter.name} (${parameter.in})`, schema, parameter.required, parameter.description));
    }
    made.push(element("h3", "", "Parameters"), list);
  }
  const body = operation.requestBody;
  if (body) made.push(element("h3", "", body.required ? "Body" : "Body (may be left out)"), members(body.content["application/json"].schema));
  made.push(element("h3", "", "With curl"), copyable(curl(method, path, operation)));
  const streams = Boolean(operation.responses["200"]?.content?.["text/event-stream"]);
  if (method === "get" && !streams) made.push(element("h3", "", "Try it"), attempt(path, operation));
  made.push(element("h3", "", "Answers"), answers(operation), ...shapes(operation));
  return element("div", "", ...made);
}

function card(method, path, operation) {
  const head = element("summary", "", element("span", `method ${method}`, method.toUpperCase()), element("span", "path", path), element("span", "what", operation.summary));
  const made = element("details", "operation", head);
  made.id = operation.operationId;
  made.dataset.words = `${method} ${path} ${operation.operationId} ${operation.summary}`.toLowerCase();
  made.addEventListener("toggle", () => made.append(describe(method, path, operation)), { once: true });
  return made;
}

function draw() {
  $("version").textContent = api.info.version;
  $("about").textContent = api.info.description;
  for (const tag of api.tags) {
    const links = element("div", "", element("h2", "", tag.name));
    const cards = element("div", "", element("h2", "", tag.name));
    for (const [path, methods] of Object.entries(api.paths)) {
      for (const method of METHODS.filter((name) => methods[name]?.tags.includes(tag.name))) {
        const made = card(method, path, methods[method]);
        const link = element("a", "", methods[method].operationId);
        link.href = `#${made.id}`;
        link.dataset.words = made.dataset.words;
        links.append(link);
        cards.append(made);
      }
    }
    $("groups").append(links);
    $("operations").append(cards);
  }
  open();
}

// The address can name an operation.
function open() {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!named?.classList.contains("operation")) return;
  named.open = true;
  named.scrollIntoView();
}

function filter() {
  const words = $("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const entry of document.querySelectorAll("[data-words]")) {
    entry.hidden = !words.every((word) => entry.dataset.words.includes(word));
  }
  for (const group of [...$("groups").children, ...$("operations").children]) {
    group.hidden = ![...group.querySelectorAll("[data-words]")].some((entry) => !entry.hidden);
  }
}

async function load() {
  const answer = await ask("v1/openapi.json").catch(() => null);
  if (!answer) $("notice").textContent = "The server does not answer. Is it running?";
  else if (answer.status === 401) $("notice").textContent = "The description is behind the token: enter the one that the server printed when it started.";
  else if (!answer.ok) $("notice").textContent = `The server answered ${answer.status}.`;
  else {
    api = await answer.json();
    $("notice").textContent = "";
    draw();
  }
}

$("entry").addEventListener("submit", (event) => {
  event.preventDefault();
  token = $("token").value.trim();
  if (!api) load();
});
$("filter").addEventListener("input", filter);
addEventListener("hashchange", open);
takeToken();
load();
