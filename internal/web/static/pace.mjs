// When to try again, and how to say it.

const FIRST = 1000;
const LONGEST = 30_000;

// backOff is the wait after so many failures in a row. It is partly chance, so that
// the pages of a house do not all come back in the same moment.
export function backOff(failures, random = Math.random) {
  const whole = Math.min(LONGEST, FIRST * 2 ** Math.min(failures, 10));
  return whole / 2 + random() * (whole / 2);
}

// A Pause is a wait that can be cut short.
export class Pause {
  #end = null;

  for(ms) {
    this.end();
    return new Promise((done) => {
      const timer = setTimeout(() => this.end(), ms);
      this.#end = () => {
        clearTimeout(timer);
        done();
      };
    });
  }

  end() {
    const end = this.#end;
    this.#end = null;
    end?.();
  }
}

// span says a wait as people do.
export function span(ms) {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 100) return seconds === 1 ? "1 second" : `${seconds} seconds`;
  const minutes = Math.floor(seconds / 60);
  const rest = seconds % 60;
  return `${minutes} min${rest ? ` ${rest} s` : ""}`;
}
