import { say } from './words.js'

/** Creates an element. Properties that begin with `on` are listeners, others attributes; children are nodes or text. */
export function h(name, properties = {}, ...children) {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === false) continue
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value)
    else element.setAttribute(key, value === true ? '' : value)
  }
  element.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== false))
  return element
}

/** Creates a button that copies a text. */
export function copyButton(read, label = say('copy')) {
  const button = h('button', { type: 'button', class: 'quiet copy', 'aria-live': 'polite' }, label)
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(read())
    } catch {
      copyBySelection(read())
    }
    button.textContent = say('copied')
    setTimeout(() => {
      button.textContent = label
    }, 1500)
  })
  return button
}

/** Copies on pages that came over plain HTTP, which have no clipboard. */
function copyBySelection(text) {
  const area = h('textarea', { class: 'offscreen', 'aria-hidden': 'true' })
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}

/** Creates a block of code with a copy button; `head` replaces the title. */
export function codeBlock(text, { language = 'json', title, head: place = title } = {}) {
  const content = h('code', {}, ...colored(text, language))
  // Scrollable by keyboard.
  const pre = h('pre', { tabindex: '0', 'aria-label': title ?? say('code') }, content)
  const head = h(
    'div',
    { class: 'code-head' },
    place ?? h('span'),
    copyButton(() => text),
  )
  return h('div', { class: 'code' }, head, pre)
}

const TOKENS = {
  json: /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null|-?\d[\d.eE+-]*)\b/g,
  code: /((?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`))()|\b(import|from|const|await|for|of|in|with|if|print|async|as|new|def|while|true|false|null|True|False|None|curl)\b/g,
}

/** Divides code into parts with classes for strings, keys and words of the language. */
function colored(text, language) {
  const nodes = []
  let end = 0
  for (const { 0: all, 1: string, 2: colon, 3: word, index } of text.matchAll(
    TOKENS[language] ?? TOKENS.code,
  )) {
    nodes.push(text.slice(end, index))
    if (word) nodes.push(h('span', { class: 'word' }, word))
    else nodes.push(h('span', { class: colon ? 'key' : 'string' }, string), colon ?? '')
    end = index + all.length
  }
  return [...nodes, text.slice(end)]
}
