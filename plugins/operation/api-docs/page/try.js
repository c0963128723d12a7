import { codeBlock, h } from './dom.js'
import { fillPath } from './samples.js'
import { askForToken, onSession, readToken, send } from './session.js'
import { say } from './words.js'

/** The longest text of a reply that is shown. */
const MAX_SHOWN_CHARS = 200_000

/** Creates the form that sends a request; `onChange` receives its values whenever they change. */
export function createTryForm(operation, view, onChange) {
  const fields = operation.parameters.map((parameter) => createField(parameter, view))
  const content = createContent(operation, view)
  const output = h('div', { class: 'output', 'aria-live': 'polite' })
  const note = h('p', { class: 'muted' })
  const button = h('button', { class: 'primary' }, say('send'))
  const stop = h('button', { type: 'button', class: 'quiet', hidden: true }, say('stop'))
  const readParts = () => {
    const valuesIn = (place) =>
      Object.fromEntries(
        fields
          .filter(({ parameter, input }) => parameter.in === place && input.value !== '')
          .map(({ parameter, input }) => [parameter.name, input.value]),
      )
    return {
      path: valuesIn('path'),
      query: valuesIn('query'),
      header: valuesIn('header'),
      ...content?.read(),
    }
  }
  const updateNote = () => {
    const isMissing = !operation.isPublic && !readToken()
    note.replaceChildren(
      ...(isMissing
        ? [h('button', { type: 'button', class: 'link', onclick: askForToken }, say('needsSignIn'))]
        : [operation.method === 'GET' ? '' : say('changes')]),
    )
  }
  const form = h(
    'form',
    {
      class: 'try',
      oninput: () => onChange(readParts()),
      onsubmit: async (event) => {
        event.preventDefault()
        const abort = new AbortController()
        stop.onclick = () => abort.abort()
        stop.hidden = false
        button.disabled = true
        output.replaceChildren(h('p', { class: 'muted' }, say('sending')))
        try {
          await sendAndShow(operation, readParts(), output, abort.signal)
        } catch (error) {
          if (!abort.signal.aborted)
            output.replaceChildren(
              h('p', { class: 'failure', role: 'alert' }, `${say('failed')}: ${error.message}`),
            )
        }
        stop.hidden = true
        button.disabled = false
      },
    },
    fields.map(({ element }) => element),
    content?.element,
    h('div', { class: 'row' }, button, stop, note),
    output,
  )
  updateNote()
  onSession(form, updateNote)
  return form
}

function createField(parameter, { unwrap }) {
  const { name, required, schema } = parameter
  const { enum: values, default: usual, examples } = unwrap(schema)
  const id = `try-${parameter.in}-${name}`
  const hint = usual ?? examples?.[0]
  const attributes = { id, name, required, autocomplete: 'off', spellcheck: 'false', autocapitalize: 'off' }
  const input = values
    ? h(
        'select',
        attributes,
        [!required && '', ...values]
          .filter((value) => value !== false)
          .map((value) => h('option', { value }, value)),
      )
    : h('input', { ...attributes, placeholder: hint === undefined ? '' : String(hint) })
  return {
    parameter,
    input,
    element: h(
      'label',
      { for: id },
      h('span', {}, h('code', {}, name), required ? h('span', { class: 'required' }, say('required')) : ''),
      input,
    ),
  }
}

/** Creates the input of the body, by its media type. */
function createContent({ contents, isBodyRequired }, view) {
  if (contents.length === 0) return undefined
  const areaOf = ({ schema, example }) => {
    const area = h('textarea', { id: 'try-body', rows: '8', spellcheck: 'false', autocapitalize: 'off' })
    area.value = JSON.stringify(example ?? view.exampleOf(schema), null, 2)
    return area
  }
  const inputs = contents.map(([media, content]) => ({
    media,
    input:
      media === 'application/json'
        ? areaOf(content)
        : h('input', { id: 'try-body', type: 'file', required: isBodyRequired }),
  }))
  let [chosen] = inputs
  const place = h('div', {}, chosen.input)
  const choose = h(
    'select',
    {
      'aria-label': say('mediaType'),
      onchange: ({ target }) => {
        chosen = inputs.find(({ media }) => media === target.value)
        place.replaceChildren(chosen.input)
      },
    },
    inputs.map(({ media }) => h('option', {}, media)),
  )
  return {
    element: h(
      'div',
      { class: 'body-field' },
      h('div', { class: 'row' }, h('label', { for: 'try-body' }, say('body')), inputs.length > 1 && choose),
      place,
    ),
    read() {
      const { media, input } = chosen
      if (media !== 'application/json') return { media, file: input.files[0] }
      return { media, text: input.value, body: parseOr(input.value, {}) }
    },
  }
}

function parseOr(text, otherwise) {
  try {
    return JSON.parse(text)
  } catch {
    return otherwise
  }
}

function encodeBody({ media, text, file }) {
  if (media === 'multipart/form-data') {
    const form = new FormData()
    if (file) form.append('file', file)
    return { body: form }
  }
  if (media === 'application/json') {
    if (text.trim() === '') return {}
    if (parseOr(text) === undefined) throw new Error(say('badJson'))
    return { body: text, headers: { 'Content-Type': media } }
  }
  return media ? { body: file, headers: { 'Content-Type': 'application/octet-stream' } } : {}
}

async function sendAndShow(operation, parts, output, signal) {
  const begin = performance.now()
  const { headers: own, ...content } = encodeBody(parts)
  const response = await send(fillPath(operation, parts), {
    method: operation.method,
    signal,
    ...content,
    headers: { ...own, ...parts.header },
  })
  const elapsed = Math.round(performance.now() - begin)
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
  output.replaceChildren(
    h(
      'p',
      { class: 'status', role: 'status' },
      h('strong', { class: response.ok ? 'good' : 'bad' }, `${response.status} ${response.statusText}`),
      ` ${elapsed} ${say('ms')}`,
    ),
    h(
      'details',
      {},
      h('summary', {}, say('headers')),
      codeBlock(headers, { language: 'text', title: say('headers') }),
    ),
  )
  const type = response.headers.get('Content-Type') ?? ''
  if (type.startsWith('text/event-stream')) return showStream(response, output)
  if (type.startsWith('application/json') && !response.headers.has('Content-Disposition')) {
    const text = await response.text()
    output.append(codeBlock(cut(JSON.stringify(parseOr(text, text), null, 2)), { title: say('reply') }))
    return
  }
  const blob = await response.blob()
  if (blob.size === 0) output.append(h('p', { class: 'muted' }, say('emptyBody')))
  else if (type.startsWith('text/') && !response.headers.has('Content-Disposition'))
    output.append(codeBlock(cut(await blob.text()), { language: 'text', title: say('reply') }))
  else
    output.append(
      h(
        'p',
        {},
        h('a', { href: URL.createObjectURL(blob), download: fileNameOf(response) }, say('save')),
        ` (${blob.size} B)`,
      ),
    )
}

const cut = (text) => (text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text)

const fileNameOf = (response) =>
  response.headers.get('Content-Disposition')?.match(/filename="?([^";]+)/)?.[1] ?? 'download'

/** Shows the events of a stream as they arrive. */
async function showStream(response, output) {
  const code = h('code')
  output.append(
    h(
      'div',
      { class: 'code' },
      h('div', { class: 'code-head' }, say('events')),
      h('pre', { tabindex: '0', 'aria-label': say('events') }, code),
    ),
  )
  for await (const text of readTexts(response.body.pipeThrough(new TextDecoderStream()))) {
    if (code.textContent.length < MAX_SHOWN_CHARS) code.append(text)
  }
}

async function* readTexts(stream) {
  const reader = stream.getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
}
