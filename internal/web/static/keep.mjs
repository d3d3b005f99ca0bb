// What this browser keeps for the page. Where the browser keeps nothing (blocked, or
// full), the page works on with its memory, and can say so.

const PREFIX = "askhub.chat.";

export class Keep {
  #area;
  #memory = new Map();
  // lasting is false where nothing outlives the tab.
  lasting = false;

  // area is a Storage, or a function that gives one: only touching it may throw.
  constructor(area) {
    try {
      const storage = typeof area === "function" ? area() : area;
      const probe = PREFIX + "probe";
      storage.setItem(probe, "1");
      storage.removeItem(probe);
      this.#area = storage;
      this.lasting = true;
    } catch {
      this.#area = null;
    }
  }

  get(name) {
    if (this.#memory.has(name)) return this.#memory.get(name);
    try {
      return this.#area?.getItem(PREFIX + name) ?? null;
    } catch {
      return null;
    }
  }

  // set tells whether the value outlives the tab.
  set(name, value) {
    try {
      if (this.#area) {
        this.#area.setItem(PREFIX + name, value);
        this.#memory.delete(name);
        return true;
      }
    } catch {
      // Full. The memory has it until there is room.
    }
    this.#memory.set(name, value);
    return false;
  }

  remove(name) {
    this.#memory.delete(name);
    try {
      this.#area?.removeItem(PREFIX + name);
    } catch {
      // What cannot be reached cannot be there.
    }
  }

  // names lists what is kept under a beginning.
  names(beginning) {
    const found = new Set([...this.#memory.keys()].filter((name) => name.startsWith(beginning)));
    try {
      for (let i = 0; i < (this.#area?.length ?? 0); i++) {
        const name = this.#area.key(i);
        if (name?.startsWith(PREFIX + beginning)) found.add(name.slice(PREFIX.length));
      }
    } catch {
      // As above.
    }
    return [...found];
  }

  // json reads a value that this page wrote; what cannot be read is as good as absent.
  json(name) {
    try {
      return JSON.parse(this.get(name) ?? "null");
    } catch {
      return null;
    }
  }

  setJSON(name, value) {
    return this.set(name, JSON.stringify(value));
  }

  // watch tells of what other tabs change: its name and new value, null for both
  // where everything was cleared.
  watch(target, tell) {
    target.addEventListener("storage", (event) => {
      if (event.storageArea !== this.#area || this.#area === null) return;
      if (event.key === null) tell(null, null);
      else if (event.key.startsWith(PREFIX)) tell(event.key.slice(PREFIX.length), event.newValue);
    });
  }
}
