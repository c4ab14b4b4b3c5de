"use strict";

// Numbers as text. What is proven is rounded to the side on which it stays true.
const words = (() => {
  const whole = new Intl.NumberFormat("en-US").format;
  const plural = (count, one, many = `${one}s`) => `${whole(count)} ${count === 1 ? one : many}`;
  const percent = share => `${(100 * share).toFixed(2)}\u00a0%`;

  // Hundredths of a percent. Counts are whole numbers, so the quotient is on the right side of every integer.
  const hundredths = (count, all) => all === 0 ? 0 : 10000 * count / all;

  // The error of a level as text: exact, or between its bounds, the lower one rounded down and the upper one up.
  function error(counts) {
    if (counts.exact) return `${percent(counts.error_lower)}, exact`;
    const [lower, upper] = bounds(counts);
    return `${lower} to ${upper}\u00a0%`;
  }
  function bounds(counts) {
    const open = counts.unknown + counts.pending;
    return [Math.floor(hundredths(counts.vulnerable, counts.samples)), Math.ceil(hundredths(counts.vulnerable + open, counts.samples))]
      .map(n => (n / 100).toFixed(2));
  }

  // What is open, by its two causes.
  function open(counts) {
    return [counts.unknown ? `${whole(counts.unknown)} unknown` : "", counts.pending ? `${whole(counts.pending)} not reached` : ""]
      .filter(Boolean).join(", ");
  }

  function duration(seconds) {
    if (seconds === null) return "";
    if (seconds === 0) return "0";
    if (seconds < 1e-3) return `${(seconds * 1e6).toFixed(0)} \u00b5s`;
    if (seconds < 1) return `${+(seconds * 1e3).toPrecision(3)} ms`;
    if (seconds < 120) return `${+seconds.toPrecision(3)} s`;
    const rounded = Math.round(seconds), minutes = Math.floor(rounded / 60);
    return minutes < 120 ? `${minutes} min ${rounded % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  }

  // Rounds to four digits, never above (below) the number, so that a proven bound stays valid when it is shown.
  function towards(side, x) {
    if (x === null || x === 0) return x === null ? "" : "0";
    const unit = 10 ** (Math.floor(Math.log10(Math.abs(x))) - 3);
    let digits = +x.toPrecision(4);
    if (side * (digits - x) < 0) digits += side * unit;
    return String(+digits.toPrecision(4));
  }
  const roundedDown = x => towards(-1, x);
  const roundedUp = x => towards(1, x);

  const fileName = path => path.replace(/\/+$/, "").split(/[/\\]/).pop();

  return {whole, plural, percent, error, bounds, open, duration, roundedDown, roundedUp, fileName};
})();
