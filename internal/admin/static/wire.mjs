// Calls to the app, and what passkeys say, as JSON.

// post sends a body and gives the reply. A refusal is an Error in words for people.
export async function post(path, body) {
  let response;
  try {
    response = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  } catch {
    throw new Error("The admin app is not answering. Are you at home, or connected to it?");
  }
  let said = {};
  try {
    said = await response.json();
  } catch {
    // told below
  }
  if (response.status === 401) location.assign("/signin?to=" + encodeURIComponent(location.pathname));
  if (!response.ok) throw Object.assign(new Error(said.detail ?? "The admin app had a fault; try again."), { code: said.code, field: said.field });
  return said;
}

const toBytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));

const toText = (bytes) =>
  bytes == null ? undefined : btoa(Array.from(new Uint8Array(bytes), (b) => String.fromCharCode(b)).join("")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

const withBytes = (list) => (list ?? []).map((one) => ({ ...one, id: toBytes(one.id) }));

// The words for what a passkey's prompt can come to.
function explained(error) {
  if (error.name === "NotAllowedError") return new Error("The passkey's prompt was closed, or took too long. Nothing was done.");
  if (error.name === "InvalidStateError") return new Error("This device has a passkey for you already: sign in with it.");
  if (error.name === "SecurityError") return new Error("Passkeys work only at the app's own address, over https or on localhost.");
  return error;
}

export function passkeysWork() {
  return globalThis.isSecureContext && "credentials" in navigator && "PublicKeyCredential" in globalThis;
}

// makePasskey makes one, and gives what the app wants to know of it.
export async function makePasskey({ publicKey }) {
  const { challenge, user, excludeCredentials } = publicKey;
  const made = await navigator.credentials
    .create({
      publicKey: { ...publicKey, challenge: toBytes(challenge), user: { ...user, id: toBytes(user.id) }, excludeCredentials: withBytes(excludeCredentials) },
    })
    .catch((error) => {
      throw explained(error);
    });
  return {
    ...head(made),
    response: {
      clientDataJSON: toText(made.response.clientDataJSON),
      attestationObject: toText(made.response.attestationObject),
      transports: made.response.getTransports?.() ?? [],
    },
  };
}

// usePasskey has the person use one.
export async function usePasskey({ publicKey }) {
  const used = await navigator.credentials
    .get({ publicKey: { ...publicKey, challenge: toBytes(publicKey.challenge), allowCredentials: withBytes(publicKey.allowCredentials) } })
    .catch((error) => {
      throw explained(error);
    });
  return {
    ...head(used),
    response: {
      clientDataJSON: toText(used.response.clientDataJSON),
      authenticatorData: toText(used.response.authenticatorData),
      signature: toText(used.response.signature),
      userHandle: toText(used.response.userHandle),
    },
  };
}

const head = (made) => ({ id: made.id, rawId: toText(made.rawId), type: made.type, clientExtensionResults: {} });
