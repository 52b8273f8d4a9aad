// The page is a reader of the log like any other: it takes a snapshot, then follows the events
// behind it. Text from the server is only ever shown as text, never as markup.

const $ = (id) => document.getElementById(id);

// The token comes with the address once. It moves to a cookie of this page, because an
// EventSource cannot send headers, and leaves the address bar and the history.
function takeToken() {
  const address = new URL(location.href);
  const token = address.searchParams.get("token");
  if (!token) return;
  document.cookie = `codewhale_runtime_token=${encodeURIComponent(token)}; Path=/; SameSite=Strict`;
  address.searchParams.delete("token");
  history.replaceState(null, "", address);
}

async function call(method, path, body) {
  const options = { method, headers: {} };
  if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  const response = await fetch(path, options);
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.error?.message ?? `the server answered ${response.status}`);
  return answer;
}

// `waiting` holds everything that waits for a person: approvals and questions, by id.
const view = { thread: null, turn: null, items: new Map(), waiting: new Map(), stream: null };

function notice(text) {
  $("notice").textContent = text;
}

function element(tag, text, className) {
  const made = document.createElement(tag);
  if (text) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function showItem(item) {
  const known = view.items.get(item.id);
  const line = known?.line ?? $("items").appendChild(element("li"));
  const isTool = Boolean(item.metadata?.tool);
  const text = item.detail ?? item.summary;
  line.className = [item.kind, isTool ? "tool" : "", item.status].join(" ");
  line.textContent = isTool ? `${item.summary}\n\n${item.status === "in_progress" ? "…" : text}` : text;
  view.items.set(item.id, { line, item });
  line.scrollIntoView({ block: "end" });
}

function addText(id, delta) {
  const known = view.items.get(id);
  if (!known) return;
  // What a call prints stands where its result will be.
  if (known.item.metadata?.tool && !known.prints) {
    known.prints = true;
    known.line.textContent = `${known.item.summary}\n\n`;
  }
  known.line.append(delta);
  known.line.scrollIntoView({ block: "end" });
}

function showWaiting(id, box) {
  view.waiting.get(id)?.remove();
  view.waiting.set(id, box);
  $("approvals").append(box);
}

function dropWaiting(id) {
  for (const [known, box] of view.waiting) {
    if (id === undefined || known === id) {
      box.remove();
      view.waiting.delete(known);
    }
  }
}

function showApproval(approval) {
  const box = element("div");
  box.append(element("strong", `May the agent use ${approval.tool_name}?`), element("p", approval.description));
  const detail = approval.command ?? approval.diff;
  if (detail) box.append(element("pre", detail));
  box.append(element("p", `Asked because ${approval.reason} (${approval.matched_rule}).`, "why"));
  const answers = [["Allow", { decision: "allow" }], ["Deny", { decision: "deny" }]];
  if (approval.remembered_as) answers.splice(1, 0, ["Allow, and always in this workspace", { decision: "allow", remember: true }]);
  for (const [label, answer] of answers) {
    const button = element("button", label);
    button.type = "button";
    button.addEventListener("click", () => attempt(() => call("POST", `/v1/approvals/${approval.id}`, answer)));
    box.append(button, " ");
  }
  showWaiting(approval.id, box);
}

// The answers go to the agent; nothing keeps them.
function showQuestions(input) {
  const form = element("form");
  for (const question of input.request.questions) {
    const group = element("fieldset");
    group.append(element("legend", question.header), element("p", question.question));
    for (const option of question.options) {
      const choice = element("input");
      Object.assign(choice, { type: question.multi_select ? "checkbox" : "radio", name: question.id, value: option.label });
      const label = element("label");
      label.append(choice, ` ${option.label}: ${option.description}`);
      group.append(label, element("br"));
    }
    const other = element("input");
    Object.assign(other, { type: "text", name: `${question.id}:other`, placeholder: "something else" });
    group.append(other);
    form.append(group);
  }
  form.append(element("button", "Answer"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const given = new FormData(form);
    const answers = input.request.questions.flatMap(({ id }) => {
      const other = String(given.get(`${id}:other`) ?? "").trim();
      if (other) return [{ id, label: "Other", value: other }];
      return given.getAll(id).map((label) => ({ id, label, value: label }));
    });
    attempt(() => call("POST", `/v1/user-input/${view.thread}/${input.id}`, { answers }));
  });
  showWaiting(input.id, form);
}

function setTurn(turn) {
  view.turn = turn;
  $("stop").hidden = !turn;
  $("send").textContent = turn ? "Add to the turn" : "Send";
}

const handlers = {
  "turn.started": ({ payload }) => setTurn(payload.turn.id),
  "turn.completed": ({ payload }) => {
    setTurn(null);
    dropWaiting();
    if (payload.turn.status !== "completed") notice(`The turn ended: ${payload.turn.error ?? payload.turn.status}`);
    attempt(listThreads);
  },
  "item.started": ({ payload }) => showItem(payload.item),
  "item.delta": ({ item_id, payload }) => addText(item_id, payload.delta),
  "item.completed": ({ payload }) => showItem(payload.item),
  "item.failed": ({ payload }) => showItem(payload.item),
  "item.interrupted": ({ payload }) => showItem(payload.item),
  "approval.required": ({ payload }) => showApproval(payload),
  "approval.decided": ({ payload }) => dropWaiting(payload.approval_id),
  "user_input.required": ({ payload }) => showQuestions(payload),
  "user_input.answered": ({ payload }) => dropWaiting(payload.id),
  "user_input.canceled": ({ payload }) => dropWaiting(payload.id),
  "sandbox.denied": ({ payload }) => notice(`The walls stopped ${payload.tool_name}: ${payload.reason}`),
};

async function openThread(id) {
  view.stream?.close();
  const detail = await call("GET", `/v1/threads/${id}`);
  view.thread = id;
  view.items.clear();
  dropWaiting();
  $("items").replaceChildren();
  notice("");
  detail.items.forEach(showItem);
  detail.pending_approvals.forEach(showApproval);
  detail.pending_user_inputs.forEach(showQuestions);
  const running = detail.turns.findLast((turn) => turn.status === "in_progress");
  setTurn(running?.id ?? null);
  const stream = new EventSource(`/v1/threads/${id}/events?since_seq=${detail.latest_seq}`);
  for (const [name, handle] of Object.entries(handlers)) {
    stream.addEventListener(name, (event) => handle(JSON.parse(event.data)));
  }
  stream.addEventListener("open", () => notice(""));
  stream.addEventListener("error", () => notice("The connection is gone; trying again…"));
  view.stream = stream;
  await listThreads();
}

async function listThreads() {
  const threads = await call("GET", "/v1/threads/summary?limit=60");
  $("threads").replaceChildren(...threads.map((thread) => {
    const button = element("button", thread.title);
    button.type = "button";
    button.title = thread.preview;
    button.setAttribute("aria-current", String(thread.id === view.thread));
    button.addEventListener("click", () => attempt(() => openThread(thread.id)));
    const line = element("li");
    line.append(button);
    return line;
  }));
}

async function newThread() {
  const thread = await call("POST", "/v1/threads", { allow_shell: $("shell").checked });
  await openThread(thread.id);
  $("prompt").focus();
}

async function send() {
  const prompt = $("prompt").value.trim();
  if (!prompt) return;
  if (!view.thread) await newThread();
  const turns = `/v1/threads/${view.thread}/turns`;
  await call("POST", view.turn ? `${turns}/${view.turn}/steer` : turns, { prompt });
  $("prompt").value = "";
}

async function stop() {
  if (view.turn) await call("POST", `/v1/threads/${view.thread}/turns/${view.turn}/interrupt`);
}

async function attempt(action) {
  try {
    await action();
  } catch (error) {
    notice(error.message);
  }
}

takeToken();
$("new-thread").addEventListener("click", () => attempt(newThread));
$("stop").addEventListener("click", () => attempt(stop));
$("composer").addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(send);
});
$("prompt").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey) {
    event.preventDefault();
    attempt(send);
  }
});
attempt(async () => {
  const info = await call("GET", "/v1/runtime/info");
  $("server").textContent = `version ${info.version} on ${info.bind_host}:${info.port}`;
  await listThreads();
});
