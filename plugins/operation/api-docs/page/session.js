import { h } from './dom.js'
import { say } from './words.js'

const KEY = 'svc-docs-token'
const listeners = new Set()

/** Returns the token of this tab; an API key is one as well. */
export const readToken = () => sessionStorage.getItem(KEY)

/** Calls a function whenever the reader signs in or out, until its element has left the page. */
export function onSession(element, update) {
  const listener = () => (element.isConnected ? update() : listeners.delete(listener))
  listeners.add(listener)
}

function keep(token) {
  if (token) sessionStorage.setItem(KEY, token)
  else sessionStorage.removeItem(KEY)
  for (const listener of listeners) listener()
}

/** Sends a request with the token of this tab, and keeps the fresh one that a reply may have. */
export async function send(path, init = {}) {
  const token = readToken()
  const headers = { ...(token && { Authorization: `Bearer ${token}` }), ...init.headers }
  const response = await fetch(path, { ...init, headers })
  const fresh = response.headers.get('X-Access-Token')
  if (fresh && readToken() === token) sessionStorage.setItem(KEY, fresh)
  return response
}

/** Creates the button of the page's head that opens the form, or signs out. */
export function createSessionButton(model) {
  const dialog = createDialog(model)
  const button = h('button', { type: 'button', class: 'quiet', id: 'session' })
  const update = () => {
    button.textContent = readToken() ? say('signOut') : say('signIn')
  }
  button.addEventListener('click', () => (readToken() ? keep(null) : dialog.showModal()))
  document.body.append(dialog)
  update()
  listeners.add(update)
  return button
}

/** Opens the form for signing in. */
export const askForToken = () => document.querySelector('dialog.sign-in').showModal()

function createDialog({ entries }) {
  const login = entries.find(({ method, path }) => method === 'POST' && path === '/auth/login')
  const failure = h('p', { class: 'failure', role: 'alert' })
  const field = (name, type, label, more = {}) =>
    h(
      'label',
      {},
      label,
      h('input', { name, type, required: true, autocapitalize: 'off', spellcheck: 'false', ...more }),
    )
  const form = (submit, ...children) =>
    h(
      'form',
      {
        onsubmit: async (event) => {
          event.preventDefault()
          failure.textContent = ''
          try {
            await submit(new FormData(event.target))
            event.target.reset()
            dialog.close()
          } catch (error) {
            failure.textContent = error.message
          }
        },
      },
      children,
    )
  // Shown once an account needs it.
  const code = field('code', 'text', say('oneTimeCode'), { autocomplete: 'one-time-code', required: false })
  code.hidden = true
  const byPassword = form(
    async (data) => {
      const entered = [...data].filter(([, value]) => value !== '')
      const response = await fetch('/api/auth/login', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(Object.fromEntries(entered)),
      })
      const reply = await response.json()
      if (reply.error?.code === 'TOTP_REQUIRED') code.hidden = false
      if (!response.ok) throw new Error(reply.error.message)
      keep(reply.access_token)
    },
    field('username', 'text', say('username'), { autocomplete: 'username' }),
    field('password', 'password', say('password'), { autocomplete: 'current-password' }),
    code,
    h('button', { class: 'primary' }, say('signIn')),
  )
  const byToken = form(
    async (data) => keep(data.get('token').trim()),
    field('token', 'password', say('token'), { autocomplete: 'off' }),
    h('button', { class: 'quiet' }, say('use')),
  )
  const dialog = h(
    'dialog',
    { class: 'sign-in', 'aria-labelledby': 'sign-in-title' },
    h(
      'div',
      { class: 'dialog-head' },
      h('h2', { id: 'sign-in-title' }, say('signIn')),
      h('button', { type: 'button', class: 'quiet', onclick: () => dialog.close() }, say('close')),
    ),
    login && byPassword,
    login && h('p', { class: 'divider' }, say('or')),
    byToken,
    failure,
    h('p', { class: 'muted' }, say('kept')),
  )
  return dialog
}
