import { h } from './dom.js'
import { askForToken, readToken } from './session.js'
import { say } from './words.js'

const MAX_SHOWN_FRAMES = 500

/** Creates a form that opens a socket, sends frames and lists those that arrive. */
export function createSocketForm({ path, received, isPublic }) {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
  const inputs = names.map((name) =>
    h('input', {
      id: `try-${name}`,
      name,
      required: true,
      autocomplete: 'off',
      spellcheck: 'false',
      autocapitalize: 'off',
    }),
  )
  const area = h('textarea', { id: 'try-frame', rows: '5', spellcheck: 'false', autocapitalize: 'off' })
  const fill = (type) => {
    area.value = JSON.stringify(received.find(({ name }) => name === type).examples[0].payload, null, 2)
  }
  const choose = h(
    'select',
    { 'aria-label': say('frame'), onchange: ({ target }) => fill(target.value) },
    received.map(({ name }) => h('option', {}, name)),
  )
  const log = h('ol', { class: 'frames-log', 'aria-label': say('log'), 'aria-live': 'polite', tabindex: '0' })
  const connect = h('button', { class: 'primary' }, say('connect'))
  const sendButton = h('button', { type: 'button', class: 'quiet', disabled: true }, say('send'))
  let socket

  const note = (kind, text) => {
    log.append(h('li', { class: kind }, h('code', {}, text)))
    while (log.childElementCount > MAX_SHOWN_FRAMES) log.firstChild.remove()
    log.scrollTop = log.scrollHeight
  }
  const update = () => {
    const isOpen = socket?.readyState === WebSocket.OPEN
    connect.textContent = isOpen ? say('disconnect') : say('connect')
    sendButton.disabled = !isOpen
  }
  const open = () => {
    const filled = path.replace(/\{(\w+)\}/g, (_, name) =>
      encodeURIComponent(inputs[names.indexOf(name)].value),
    )
    const protocols = isPublic ? [] : ['svc', `bearer.${readToken()}`]
    socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/api${filled}`, protocols)
    socket.onopen = () => {
      note('state', say('connected'))
      update()
    }
    socket.onmessage = ({ data }) => note('in', data)
    socket.onclose = ({ code, reason }) => {
      note('state', `${say('disconnected')}: ${code} ${reason}`)
      update()
    }
  }
  sendButton.addEventListener('click', () => {
    note('out', area.value)
    socket.send(area.value)
  })
  // The socket of a form that was left is closed.
  addEventListener('hashchange', () => socket?.close(), { once: true })
  if (received.length > 0) fill(received[0].name)
  return h(
    'form',
    {
      class: 'try',
      onsubmit: (event) => {
        event.preventDefault()
        if (socket?.readyState === WebSocket.OPEN) socket.close()
        else if (!isPublic && !readToken()) askForToken()
        else open()
      },
    },
    inputs.map((input, index) =>
      h(
        'label',
        { for: input.id },
        h('span', {}, h('code', {}, names[index]), h('span', { class: 'required' }, say('required'))),
        input,
      ),
    ),
    h('div', { class: 'row' }, connect),
    h(
      'div',
      { class: 'body-field' },
      h('div', { class: 'row' }, h('label', { for: 'try-frame' }, say('frame')), choose),
      area,
    ),
    h('div', { class: 'row' }, sendButton),
    log,
  )
}
