"use strict";
/* Messages: what was said, with linked items marked, and beneath each message everything that is on record about it. */
Explorer.messages = (() => {
  const { make, number } = Explorer.dom;
  const TAGS = new Set("p ul ol li blockquote pre code em strong s a br hr img table thead tbody tr th td".split(" "));
  const LACKING = "not in the catalogue";
  const MANY_RATERS = { scripted: "scripted", invented: "invented", model: "a model" };

  /** Mentions that have a place in a text of this length and do not lie in one another, in their order. */
  function placed(mentions, length) {
    let done = 0;
    return mentions
      .filter(([start]) => start !== null)
      .sort((a, b) => a[0] - b[0])
      .filter(([start, end]) => start >= done && end <= length && (done = end));
  }

  /** A range of a text with the parts of placed mentions in it marked. */
  function marked(text, from, to, mentions, words) {
    const pieces = [];
    let done = from;
    for (const [first, last, title, item, by] of mentions) {
      const start = Math.max(first, from);
      const end = Math.min(last, to);
      if (start >= end) continue;
      const known = [words[title], item === null ? "" : `id ${words[item]}`, words[by]].filter(Boolean).join(" · ");
      pieces.push(text.slice(done, start), make("mark", { class: words[by].startsWith(LACKING) ? "lacking" : "", title: known, text: text.slice(start, end) }));
      done = end;
    }
    return [...pieces, text.slice(done, to)];
  }

  /** Elements of a text's Markdown: [start, end] is a range of it, [tag, children, address or first number] an element of a
      closed list. Images become links, for the explorer loads nothing. */
  function written(nodes, text, mentions, words, linked = false) {
    return nodes.flatMap(([tag, children, more]) => {
      if (typeof tag === "number") return marked(text, tag, children, mentions, words);
      if (!TAGS.has(tag)) return [];
      const leads = (tag === "a" || tag === "img") && /^https?:/i.test(more);
      const inner = written(children, text, mentions, words, linked || leads);
      if (tag === "ol") return make(tag, { start: more }, inner);
      if (tag !== "a" && tag !== "img") return make(tag, {}, inner);
      return leads && !linked ? make("a", { href: more, title: more, rel: "noopener noreferrer nofollow", target: "_blank" }, inner) : inner;
    });
  }

  function labelText([strategy, probability, origin, by], words) {
    const sure = probability === null ? "" : ` ${number(probability)}`;
    const chip = make("span", { class: "chip strategy", text: words[strategy].replaceAll("_", " ") + sure });
    chip.title = `strategy, by ${words[by] || "an unknown labeller"}: ${words[origin]}`;
    return chip;
  }

  function actText([intent, slots], words, by) {
    const text = [words[intent], slots ? `(${slots})` : ""].filter(Boolean).join(" ");
    return make("span", { class: "chip act", text, title: by ? `dialogue act, ${by}` : "dialogue act" });
  }

  /** The name by which the report calls a measure. */
  function label(name) {
    const at = Explorer.rows.measureNumbers.get(name);
    return at === undefined ? name.replace(/^human:/, "") : Explorer.rows.measures[at].label;
  }

  /** Whether the report has a column of a measure; beneath a message, others would be noise. */
  function isReported(name) {
    return Boolean(Explorer.rows.measures[Explorer.rows.measureNumbers.get(name)]?.unit);
  }

  /** Who gave an answer. */
  function raterText(rater, kind, words) {
    const who = rater === null ? "an unnamed rater" : words[rater];
    const what = MANY_RATERS[words[kind]];
    return what ? `${who} (${what})` : who;
  }

  function answerText([measure, value, rater, kind, , high, why], words) {
    const top = high === null ? "" : ` of ${number(high)}`;
    const given = value === null ? `no answer${why === null ? "" : `: ${words[why]}`}` : `${number(value)}${top}`;
    return make("span", {
      class: "chip answer", text: `${label(words[measure])} ${given}`, title: `answered by ${raterText(rater, kind, words)}`,
    });
  }

  function valueText([measure, value, why], words) {
    if (value === null || !isReported(words[measure])) return null;
    return make("span", { class: "chip score", text: `${label(words[measure])} ${number(value)}`, title: why === null ? "score" : words[why] });
  }

  /** Names with texts, as a list of terms; long ones are folded. */
  function terms(pairs) {
    return make("dl", { class: "terms" }, pairs.map(([what, text]) => make("div", {}, make("dt", { text: what }), make("dd", { text, dir: "auto" }))));
  }

  function rest(detail, words) {
    const unplaced = (detail.m ?? []).filter(([start]) => start === null).map(([, , title]) => words[title]);
    const pairs = [
      unplaced.length ? ["items named", unplaced.join(", ")] : null,
      detail.k ? ["ranking", detail.k.join(", ")] : null,
      ...(detail.v ?? [])
        .filter(([measure, value, why]) => (value === null ? why !== null : !isReported(words[measure])))
        .map(([measure, value, why]) => [label(words[measure]), value === null ? `undefined: ${words[why]}` : number(value)]),
      ...(detail.x ?? []),
    ].filter(Boolean);
    return pairs.length ? make("details", { class: "rest" }, make("summary", { text: "More on this message" }), terms(pairs)) : null;
  }

  /** Calls of tools in their order, each folded with what it was asked and answered. */
  function calls(given) {
    return (given ?? []).map(([name, asked, answer, error, refused, seconds]) => {
      const failed = error ? "failed" : refused ? "invalid" : answer ? "" : "no result";
      const title = [`Tool ${name || "(no name)"}`, failed, seconds === null ? "" : `${number(seconds)} s`].filter(Boolean).join(" · ");
      const pairs = [["arguments", asked], [error === answer ? "" : "result", answer], ["error", error], ["invalid", refused]];
      return make(
        "details",
        { class: failed ? "rest call broken" : "rest call" },
        make("summary", { text: title }),
        terms(pairs.filter(([what, text]) => what && text)),
      );
    });
  }

  function message(text, detail, words, name, at, own) {
    const byUser = !detail.s;
    const chips = [
      ...(detail.a ?? []).map((act) => actText(act, words, detail.b)),
      ...(detail.l ?? []).map((one) => labelText(one, words)),
      ...(detail.r ?? []).map((one) => answerText(one, words)),
      ...(detail.v ?? []).map((one) => valueText(one, words)),
      detail.w === undefined ? null : make("span", { class: "chip time", text: `${number(detail.w)} s`, title: "time that this turn took" }),
    ].filter(Boolean);
    const mentions = placed(detail.m ?? [], text.length);
    const content = text ? written(detail.t ?? [[0, text.length]], text, mentions, words) : make("span", { class: "empty", text: "(empty)" });
    return make(
      "li",
      { class: `${byUser ? "mine" : "theirs"}${own !== undefined && at !== own ? " context" : ""}` },
      make("span", { class: "speaker" }, make("bdi", { text: byUser ? "User" : name })),
      calls(detail.c),
      make("div", { class: "said", dir: "auto" }, content),
      chips.length ? make("div", { class: "chips" }, chips) : null,
      rest(detail, words),
    );
  }

  /** All messages of a row. */
  function talk({ texts, detail, words }, name) {
    const about = detail.u ?? [];
    return make("ol", { class: "talk" }, texts.map((text, at) => message(text, about[at] ?? {}, words, name, at, detail.own)));
  }

  return { talk, calls, terms, label, raterText };
})();
