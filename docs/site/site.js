/* SPDX-License-Identifier: MIT */
/* Search, copy buttons, and contents that are open on wide screens. The pages work without this script, too. */
"use strict";

const here = document.currentScript.src;
const top_ = here.slice(0, here.lastIndexOf("/") + 1);

/* ---- search ---- */

/* search.js calls this function with rows [address, title of the page, heading, text]. A page of a local folder may load
 * scripts, but may not fetch files. */
let sections = null;
window.simhashSearch = rows => {
	sections = rows.map(([address, page, heading, text]) =>
		({ address, page, heading, text, names: (page + " " + heading).toLowerCase(), lower: text.toLowerCase() }));
	search();
};

const box = document.getElementById("find"), list = document.getElementById("found");

function load() {
	if (sections || document.getElementById("sections"))
		return;
	const script = document.createElement("script");
	script.id = "sections";
	script.src = top_ + "search.js";
	document.head.append(script);
}

/* A section is found when each word is in its title, heading or text. A word in title or heading counts more. */
function rank(section, words) {
	let points = 0;
	for (const word of words) {
		const named = section.names.includes(word), at = section.lower.indexOf(word);
		if (!named && at < 0)
			return 0;
		points += (named ? 10 : 0) + (at >= 0 ? 2 : 0);
		if (section.names.split(/[\s()]+/).includes(word))
			points += 10;
	}
	return points;
}

/* The text around the first word, with the words marked. */
function excerpt(section, words) {
	const at = Math.max(0, Math.min(...words.map(w => section.lower.indexOf(w)).filter(i => i >= 0), section.text.length) - 50);
	const p = document.createElement("p"), text = (at ? "…" : "") + section.text.slice(at, at + 160);
	let rest = text, lower = rest.toLowerCase();
	for (;;) {
		const hits = words.map(w => [lower.indexOf(w), w.length]).filter(([i]) => i >= 0).sort((a, b) => a[0] - b[0] || b[1] - a[1]);
		if (!hits.length)
			break;
		const [i, n] = hits[0], mark = document.createElement("mark");
		mark.textContent = rest.slice(i, i + n);
		p.append(rest.slice(0, i), mark);
		rest = rest.slice(i + n);
		lower = rest.toLowerCase();
	}
	p.append(rest);
	return p;
}

function search() {
	const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
	list.replaceChildren();
	list.hidden = !words.length;
	if (!words.length || !sections)
		return;
	const hits = sections.map((section, i) => [rank(section, words), i]).filter(([points]) => points)
		.sort((a, b) => b[0] - a[0] || a[1] - b[1]).slice(0, 20);
	for (const [, i] of hits) {
		const section = sections[i], item = document.createElement("li"), link = document.createElement("a");
		link.href = top_ + section.address;
		link.textContent = section.heading ? section.page + " › " + section.heading : section.page;
		item.append(link, excerpt(section, words));
		list.append(item);
	}
	if (!hits.length)
		list.append(Object.assign(document.createElement("li"), { textContent: list.dataset.none }));
}

box.hidden = false;
box.addEventListener("focus", load);
box.addEventListener("input", () => { load(); search(); });
box.addEventListener("keydown", event => {
	const first = list.querySelector("a");
	if (event.key === "Escape") {
		box.value = "";
		search();
	} else if (event.key === "Enter" && first) {
		location.href = first.href;
	}
});
list.addEventListener("click", event => { if (event.target.closest("a")) list.hidden = true; });
document.addEventListener("keydown", event => {
	if (event.key === "/" && !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) {
		event.preventDefault();
		box.focus();
	}
});

/* ---- copy buttons ---- */

/* Of a transcript, the commands without their prompts; else the whole block. */
function commands(block) {
	const typed = [...block.querySelectorAll("b")].map(b => b.textContent);
	return typed.some(line => line.startsWith("$ ")) ? typed.map(line => line.replace(/^[$>] /, "")).join("\n") : block.textContent.trimEnd();
}

for (const block of document.querySelectorAll("main pre")) {
	const frame = document.createElement("div"), button = document.createElement("button");
	frame.className = "code";
	button.type = "button";
	button.textContent = box.dataset.copy;
	button.addEventListener("click", async () => {
		await navigator.clipboard.writeText(commands(block));
		button.textContent = box.dataset.copied;
		setTimeout(() => { button.textContent = box.dataset.copy; }, 1500);
	});
	block.replaceWith(frame);
	frame.append(block, button);
}

/* ---- contents ---- */

const contents = document.querySelector(".contents"), wide = matchMedia("(min-width: 80rem)");
if (contents) {
	contents.open = wide.matches;
	wide.addEventListener("change", () => { contents.open = wide.matches; });
}
