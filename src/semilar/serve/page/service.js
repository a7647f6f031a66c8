// Talking to the service: one photo at a time, patient where the service is busy.

const TRIES = 30;
let token = sessionStorage.getItem("token") || "";

/** An answer other than a picture; the message is the service's own text. */
export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export function useToken(value) {
  token = value.trim();
  sessionStorage.setItem("token", token);
}

/** The model in use and what may be sent. */
export async function about() {
  const answer = await fetch("v1/models", { headers: authorization() }).catch(() => null);
  if (answer === null) throw new Refused(0, "The service does not answer.");
  if (!answer.ok) throw new Refused(answer.status, await problemText(answer.status, answer.text()));
  return answer.json();
}

/**
 * Have `file` restored. `options` are the service's own; `tell(phase, share)` hears "sending" with
 * the share sent, "working", and "waiting" with the seconds until the next try. Aborted by `signal`.
 * Gives { blob, name, found }, found being "none", "weak" or "strong".
 */
export async function remove(file, options, tell, signal) {
  for (let tries = 1; ; tries++) {
    const answer = await send(file, options, tell, signal);
    if (answer.status === 200) return picture(answer, file.name);
    const wait = Number(answer.getResponseHeader("Retry-After"));
    if (!wait || tries === TRIES) {
      throw new Refused(answer.status, await problemText(answer.status, answer.response.text()));
    }
    tell("waiting", wait);
    await pause(1000 * wait, signal);
  }
}

function send(file, options, tell, signal) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest(); // fetch does not tell how much has been sent
    const stopped = () => reject(new DOMException("stopped", "AbortError"));
    request.open("POST", "v1/remove");
    request.responseType = "blob";
    for (const [name, value] of Object.entries(authorization())) {
      request.setRequestHeader(name, value);
    }
    request.upload.onprogress = (event) => tell("sending", event.loaded / event.total);
    request.upload.onload = () => tell("working");
    request.onload = () => resolve(request);
    request.onabort = stopped;
    request.onerror = () => reject(new Refused(0, "The connection to the service broke."));
    signal.addEventListener("abort", () => request.abort());
    if (signal.aborted) return stopped();
    const form = new FormData();
    for (const [name, value] of Object.entries(options)) form.append(name, value);
    form.append("photo", file, file.name);
    request.send(form);
  });
}

function picture(answer, name) {
  const exact = /filename\*=UTF-8''([^;]+)/.exec(answer.getResponseHeader("Content-Disposition"));
  return {
    blob: answer.response,
    name: exact ? decodeURIComponent(exact[1]) : name,
    found: answer.getResponseHeader("Semilar-Flare-Found"),
  };
}

async function problemText(status, text) {
  try {
    return JSON.parse(await text).detail;
  } catch {
    return `The service answered ${status}.`;
  }
}

function authorization() {
  return token ? { Authorization: `Bearer ${token}` } : {};
}

function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("stopped", "AbortError"));
    });
  });
}
