import { codeBlock, copyButton, h } from './dom.js'
import { renderInline, renderMarkdown } from './markdown.js'
import { LANGUAGES, writeSample, writeSocketSample } from './samples.js'
import { createSocketForm } from './socket-try.js'
import { createTryForm } from './try.js'
import { say } from './words.js'

const KEY = 'svc-docs-sample'

/** Shows an operation: what it takes and answers, samples, and the form that sends it. */
export function renderOperation(operation, view, tag) {
  const { parameters, contents, isBodyRequired, replies, errors } = operation
  const parts = exampleParts(operation, view)
  const samples = createSamples(LANGUAGES, (language) => writeSample(language, operation, parts))
  const form = createTryForm(operation, view, (values) => {
    Object.assign(parts, {
      ...exampleParts(operation, view),
      ...values,
      path: { ...parts.path, ...values.path },
    })
    samples.update()
  })
  const inPlace = (place) => parameters.filter((parameter) => parameter.in === place)
  const left = [
    inPlace('path').length > 0 && section('path', say('path'), view.renderParameters(inPlace('path'))),
    inPlace('query').length > 0 && section('query', say('query'), view.renderParameters(inPlace('query'))),
    contents.length > 0 &&
      section(
        'body',
        say('body'),
        !isBodyRequired && h('p', { class: 'muted' }, say('optionalBody')),
        contents.map(([media, { schema }]) => [
          h('p', { class: 'media' }, h('code', {}, media)),
          view.renderSchema(schema),
        ]),
      ),
    inPlace('header').length > 0 &&
      section('header', say('header'), view.renderParameters(inPlace('header'))),
    section(
      'reply',
      say('reply'),
      replies.map((reply) => renderReply(reply, view)),
    ),
    errors.length > 0 && section('errors-of', say('errors'), renderErrors(errors)),
  ]
  const example = replies.map(({ content }) => content?.['application/json']).find(Boolean)
  const right = [
    samples.element,
    section('try', say('tryIt'), form),
    example &&
      codeBlock(JSON.stringify(example.example ?? view.exampleOf(example.schema), null, 2), {
        title: say('replyExample'),
      }),
  ]
  return frame(operation, tag, left, right)
}

/** Shows a socket: its rules, its frames in both directions and its close codes. */
export function renderSocket(socket, view, tag) {
  const { received, sent, closes } = socket
  const example = received[0]?.examples[0].payload ?? {}
  const samples = createSamples(['Browser', 'TypeScript', 'Python'], (language) =>
    writeSocketSample(language, socket, example),
  )
  const left = [
    section(
      'received',
      say('fromClient'),
      received.map((message) => renderFrame(message, view)),
    ),
    section(
      'sent',
      say('fromServer'),
      sent.map((message) => renderFrame(message, view, true)),
    ),
    section(
      'closes',
      say('closeCodes'),
      table(
        [say('errorCode'), say('meaning')],
        closes.map(([code, meaning]) => [h('code', {}, code), renderInline(meaning)]),
      ),
    ),
  ]
  return frame(socket, tag, left, [samples.element, section('try', say('tryIt'), createSocketForm(socket))])
}

/** Shows a table. */
export const table = (head, rows, name = 'table') =>
  h(
    'div',
    { class: name },
    h(
      'table',
      {},
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          head.map((cell) => h('th', { scope: 'col' }, cell)),
        ),
      ),
      h(
        'tbody',
        {},
        rows.map((row) =>
          h(
            'tr',
            {},
            row.map((cell) => h('td', {}, cell)),
          ),
        ),
      ),
    ),
  )

/** Shows a part of a page under a heading. */
export const section = (id, title, ...content) =>
  h('section', { 'aria-labelledby': `part-${id}` }, h('h2', { id: `part-${id}` }, title), content)

/** Shows the method and the path as one line. */
export const renderAddress = ({ method, path }) => [
  h('span', { class: `method ${method.toLowerCase()}` }, method),
  h('code', { class: 'path' }, ...path.split(/(?<=\/)/).flatMap((part) => [part, h('wbr')])),
]

function frame(entry, tag, left, right) {
  const { id, summary, description } = entry
  const address = `${location.origin}/api${entry.path}`
  return [
    h(
      'p',
      { class: 'crumbs' },
      h('a', { href: `#${tag.id}` }, tag.name),
      ' › ',
      h('a', { href: `#${id}`, 'aria-label': `${say('link')}: ${id}` }, h('code', {}, id)),
    ),
    h('h1', { tabindex: '-1' }, summary),
    h(
      'div',
      { class: 'address' },
      renderAddress(entry),
      copyButton(() => address),
    ),
    h(
      'div',
      { class: 'columns' },
      h(
        'div',
        { class: 'left' },
        h('div', { class: 'prose', lang: 'en' }, renderMarkdown(description)),
        left.filter(Boolean),
      ),
      h('div', { class: 'right' }, right.filter(Boolean)),
    ),
  ]
}

/** The values of the samples, before the reader enters any. */
function exampleParts({ parameters, contents, isBodyRequired }, view) {
  const needed = parameters.filter(({ required }) => required)
  const valuesIn = (place) =>
    Object.fromEntries(
      needed
        .filter((one) => one.in === place)
        .map(({ name, schema }) => [name, exampleOfParameter(name, schema, view)]),
    )
  const [[media, { schema, example } = {}] = []] = contents
  const body = media === 'application/json' ? (example ?? view.exampleOf(schema)) : undefined
  const isEmpty = !isBodyRequired && Object.keys(body ?? {}).length === 0
  return {
    path: valuesIn('path'),
    query: valuesIn('query'),
    header: valuesIn('header'),
    ...(media && !(isEmpty && body) && { media, body }),
  }
}

function exampleOfParameter(name, schema, view) {
  const { examples, enum: values } = view.unwrap(schema)
  return String(examples?.[0] ?? values?.[0] ?? (name === 'id' ? 'ID' : name.toUpperCase()))
}

/** Creates the samples with a button for each language; the choice is kept. */
function createSamples(languages, write) {
  let language = languages.includes(localStorage.getItem(KEY)) ? localStorage.getItem(KEY) : languages[0]
  const place = h('div')
  const buttons = languages.map((name) =>
    h(
      'button',
      {
        type: 'button',
        class: 'tab',
        onclick: () => {
          language = name
          localStorage.setItem(KEY, name)
          update()
        },
      },
      name,
    ),
  )
  const tabs = h('div', { class: 'tabs', role: 'group', 'aria-label': say('request') }, buttons)
  const update = () => {
    for (const button of buttons) button.setAttribute('aria-pressed', String(button.textContent === language))
    place.replaceChildren(codeBlock(write(language), { language: 'code', title: language, head: tabs }))
  }
  update()
  return {
    element: h('section', { class: 'samples', 'aria-label': say('request') }, place),
    update,
  }
}

function renderReply({ status, description, content = {}, headers = {} }, view) {
  const bodies = Object.entries(content).filter(([, { schema }]) => schema)
  return h(
    'div',
    { class: 'reply' },
    h(
      'p',
      {},
      h('strong', { class: 'good' }, status),
      ' ',
      h(
        'span',
        { class: 'muted' },
        bodies.length === 0 ? description : bodies.map(([media]) => media).join(', '),
      ),
    ),
    Object.entries(headers).map(([name, one]) =>
      h('p', { class: 'muted small' }, h('code', {}, name), ': ', renderInline(one.description ?? '')),
    ),
    bodies.map(([, { schema }]) => (schema.format === 'binary' ? [] : view.renderSchema(schema, 0, true))),
  )
}

function renderErrors(errors) {
  const rows = errors.map(({ status, code, meaning }) => [
    h('span', { class: 'bad' }, status === 'default' ? '5xx' : status),
    h('a', { href: `#error-${code}` }, h('code', {}, code)),
    meaning,
  ])
  return table([say('status'), say('errorCode'), say('meaning')], rows, 'table stacked')
}

function renderFrame({ name, title, summary, payload, examples = [] }, view, isReply = false) {
  const details = h(
    'details',
    { class: 'frame' },
    h(
      'summary',
      {},
      h('code', { class: 'name' }, name),
      ' ',
      h('span', { class: 'type' }, title),
      summary && h('span', { class: 'sentence' }, renderInline(summary)),
    ),
  )
  details.addEventListener('toggle', () => {
    if (details.open && details.childElementCount === 1)
      details.append(
        h('div', {}, view.renderSchema(payload, 0, isReply)),
        ...examples.map((example) =>
          codeBlock(JSON.stringify(example.payload, null, 2), { title: say('example') }),
        ),
      )
  })
  return details
}
