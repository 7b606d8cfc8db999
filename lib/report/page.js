/* SPDX-License-Identifier: MIT */
'use strict';
(() => {
	const AT_ONCE = 100;
	const $ = id => document.getElementById(id);
	const data = JSON.parse($('data').textContent);
	const body = $('rows').tBodies[0], heads = [...$('rows').tHead.rows[0].cells];
	const pairs = [...document.querySelectorAll('.pair')];
	let found = data.rows.map((row, i) => i), drawn = 0, lower = null, texts = null;

	const share = x => x < 0 ? '–' : (x / 10000).toFixed(4);
	const count = x => x < 0 ? '–' : x.toLocaleString('en');
	const show = (column, x) => typeof x === 'string' ? x : data.shares.includes(column) ? share(x) : count(x);

	function cell(row, column, at) {
		const td = document.createElement('td');
		if (column > 1) {
			td.className = 'number';
			td.textContent = show(column, row[column]);
			return td;
		}
		const id = document.createElement(at < data.texts ? 'a' : 'bdi');
		if (at < data.texts)
			id.href = '#p' + (at + 1);
		id.dir = 'auto';
		id.textContent = row[column];
		td.append(id);
		return td;
	}

	function draw() {
		const more = document.createDocumentFragment();
		for (const at of found.slice(drawn, drawn + AT_ONCE)) {
			const tr = document.createElement('tr');
			tr.append(...data.rows[at].map((x, column) => cell(data.rows[at], column, at)));
			more.append(tr);
		}
		drawn = Math.min(found.length, drawn + AT_ONCE);
		body.append(more);
		$('more').hidden = drawn === found.length;
		$('more').textContent = (found.length - drawn).toLocaleString('en') + ' rows more';
	}

	// An observer tells changes only: it begins anew whenever the table does.
	const bottom = new IntersectionObserver(seen => {
		if (!seen.some(x => x.isIntersecting) || drawn === found.length)
			return;
		draw();
		watch();
	}, { rootMargin: '600px' });

	function watch() {
		bottom.unobserve($('more'));
		bottom.observe($('more'));
	}

	function redraw() {
		body.textContent = '';
		drawn = 0;
		draw();
		watch();
	}

	function find() {
		const words = $('find').value.toLowerCase().trim();
		lower = lower || data.rows.map(row => (row[0] + '\t' + row[1]).toLowerCase());
		texts = texts || pairs.map(pair => pair.textContent.toLowerCase());
		const has = at => lower[at].includes(words) || (at < texts.length && texts[at].includes(words));
		found = data.rows.map((row, i) => i).filter(has);
		pairs.forEach((pair, at) => { pair.hidden = !has(at); });
		$('found').textContent = words === '' ? '' : found.length.toLocaleString('en') + ' of ' +
			data.rows.length.toLocaleString('en') + ' pairs';
		for (const head of heads)
			head.removeAttribute('aria-sort');
		redraw();
	}

	function sort(column) {
		const up = heads[column].getAttribute('aria-sort') !== 'ascending', sign = up ? 1 : -1;
		for (const head of heads)
			head.removeAttribute('aria-sort');
		heads[column].setAttribute('aria-sort', up ? 'ascending' : 'descending');
		found.sort((a, b) => {
			const x = data.rows[a][column], y = data.rows[b][column];
			return x < y ? -sign : x > y ? sign : a - b;
		});
		redraw();
	}

	function open() {
		const pair = /^#p\d+$/.test(location.hash) && $(location.hash.slice(1));
		if (pair) {
			pair.hidden = false;
			pair.open = true;
			pair.scrollIntoView();
		}
	}

	let timer = 0;
	$('find').addEventListener('input', () => {
		clearTimeout(timer);
		timer = setTimeout(find, 150);
	});
	heads.forEach((head, column) => head.firstChild.addEventListener('click', () => sort(column)));
	document.addEventListener('click', event => {
		const button = event.target.closest('button.id');
		if (!button)
			return;
		if (button.id === 'more') {
			draw();
			return;
		}
		$('find').value = button.textContent;
		find();
	});
	addEventListener('hashchange', open);
	draw();
	watch();
	open();
})();
