import { language, say, switchLanguage, translate } from './words.js'

const KEY = 'svc-docs-token'
/** The time for which an event stream is read, as Swagger UI shows a reply when it is complete. */
const STREAM_MS = 5000

const find = (selector) => document.querySelector(selector)
const add = (parent, name, text, properties = {}) =>
  parent.appendChild(Object.assign(document.createElement(name), { textContent: text, ...properties }))
const readJson = async (path) => (await fetch(path)).json()

document.documentElement.lang = language
const dark = matchMedia('(prefers-color-scheme: dark)')
const applyScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', applyScheme)
applyScheme()
Object.assign(find('#language'), {
  textContent: language === 'en' ? '中文' : 'English',
  onclick: switchLanguage,
})
translate(find('#routes'))

const api = await readJson('/api/openapi.json')
const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(
    ([
      method,
      {
        operationId,
        summary,
        tags: [tag],
      },
    ]) => ({
      operationId,
      summary,
      tag,
      href: `#/${encodeURIComponent(tag)}/${operationId}`,
      text: `${method} ${path} ${summary} ${operationId}`.toLowerCase(),
    }),
  ),
)

/** Lists the headings or, of a search, the operations that have all of its words. */
function fillNavigation() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean)
  const matches = operations.filter(({ text }) => words.every((word) => text.includes(word)))
  find('nav').replaceChildren()
  if (words.length > 0) for (const { summary, href } of matches) add(find('nav'), 'a', summary, { href })
  else for (const { name } of api.tags) add(find('nav'), 'a', name, { href: `#/${encodeURIComponent(name)}` })
}

/** Returns the document of one heading: Swagger UI resolves all of a document whenever it opens an operation. */
function selectPart(tag) {
  const paths = {}
  for (const [path, methods] of Object.entries(api.paths)) {
    const chosen = Object.entries(methods).filter(([, { tags }]) => tags[0] === tag)
    if (chosen.length > 0) paths[path] = Object.fromEntries(chosen)
  }
  const components = { securitySchemes: api.components.securitySchemes, schemas: {}, responses: {} }
  const collect = (part) => {
    for (const [, kind, name] of JSON.stringify(part).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
      if (components[kind][name]) continue
      components[kind][name] = api.components[kind][name]
      collect(components[kind][name])
    }
  }
  collect(paths)
  const info = location.hash ? { ...api.info, description: undefined } : api.info
  return { ...api, info, tags: api.tags.filter(({ name }) => name === tag), paths, components }
}

/** Keeps the token in this tab, and shows whether there is one. */
function keep(token) {
  if (token) sessionStorage.setItem(KEY, token)
  else sessionStorage.removeItem(KEY)
  find('#session').textContent = say(token ? 'Sign out' : 'Sign in')
}

/** Reads an event stream for some seconds; every other reply is passed on. */
async function fetchBriefly(url, init) {
  const response = await fetch(url, init)
  if (!response.headers.get('Content-Type')?.startsWith('text/event-stream')) return response
  const reader = response.body.getReader()
  const parts = []
  setTimeout(() => reader.cancel(), STREAM_MS)
  for (let read = await reader.read(); !read.done; read = await reader.read()) parts.push(read.value)
  return new Response(new Blob(parts), response)
}

// Swagger UI pushes an address for a heading and for each of its operations that opens; going back leaves the heading.
history.pushState = history.replaceState.bind(history)

let ui
const { bearer: schema } = api.components.securitySchemes
const authorize = (value) => ui.authActions.authorize({ bearer: { value, schema } })

/** Shows the heading of the page's address; links of the first version named only the operation. */
function show() {
  const linked = operations.find(({ operationId }) => `#${operationId}` === location.hash)
  if (linked) history.replaceState(null, '', linked.href)
  const [, name = ''] = location.hash.split('/')
  const tag = api.tags.some((one) => one.name === decodeURIComponent(name))
    ? decodeURIComponent(name)
    : api.tags[0].name
  find('#routes').replaceChildren()
  ui = window.SwaggerUIBundle({
    spec: selectPart(tag),
    domNode: add(find('#routes'), 'div', ''),
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    requestInterceptor: (request) => Object.assign(request, { userFetch: fetchBriefly }),
    responseInterceptor(response) {
      const fresh = response.headers?.['x-access-token']
      if (fresh) authorize(fresh)
      return response
    },
    onComplete() {
      const token = sessionStorage.getItem(KEY)
      keep(token)
      if (token) authorize(token)
    },
    plugins: [
      {
        statePlugins: {
          auth: {
            wrapActions: {
              authorize: (act) => (payload) => {
                keep(payload.bearer.value)
                return act(payload)
              },
              logout: (act) => (names) => {
                keep(null)
                return act(names)
              },
            },
          },
        },
      },
    ],
  })
}

const dialog = find('dialog')
const [username, password, code] = dialog.querySelectorAll('label')
const labels = ['Username', 'Password', 'Code of the authenticator app']
for (const [index, label] of [username, password, code].entries())
  label.firstChild.textContent = say(labels[index])
const [submit, close] = dialog.querySelectorAll('button')
submit.textContent = say('Sign in')
Object.assign(close, { textContent: say('Close'), onclick: () => dialog.close() })
find('#session').onclick = () =>
  sessionStorage.getItem(KEY) ? ui.authActions.logout(['bearer']) : dialog.showModal()
find('dialog form').onsubmit = async (event) => {
  event.preventDefault()
  const entered = Object.fromEntries([...new FormData(event.target)].filter(([, value]) => value))
  const body = JSON.stringify(entered)
  const headers = { 'Content-Type': 'application/json' }
  const response = await fetch('/api/auth/login', { method: 'POST', headers, body })
  const { access_token, error } = await response.json()
  if (error?.code === 'TOTP_REQUIRED') code.hidden = false
  find('[role=alert]').textContent = error?.message ?? ''
  if (error) return
  authorize(access_token)
  event.target.reset()
  dialog.close()
}

const search = Object.assign(find('#search'), {
  placeholder: say('Search (press /)'),
  ariaLabel: say('Search'),
})
search.oninput = fillNavigation
fillNavigation()
show()
addEventListener('hashchange', show)
addEventListener('keydown', (event) => {
  if (event.key !== '/' || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return
  event.preventDefault()
  search.focus()
})

const { channels, operations: actions, components } = await readJson('/api/asyncapi.json')
find('#sockets h2').textContent = say('WebSockets and event streams')
for (const [name, { address, summary, servers }] of Object.entries(channels)) {
  const details = add(find('#sockets'), 'details', '', { id: name })
  const protocol = servers[0].$ref.endsWith('/sockets') ? 'WS' : 'SSE'
  add(details, 'summary', `${protocol} ${address}: ${summary}`)
  for (const [action, title] of [
    ['receive', 'The server receives'],
    ['send', 'The server sends'],
  ]) {
    const messages = actions[`${name}_${action}`]?.messages ?? []
    if (messages.length > 0) add(details, 'h4', say(title))
    for (const { $ref } of messages) {
      const [key] = $ref.split('/').slice(-1)
      const { summary: words = '', examples } = components.messages[key]
      add(details, 'p', words)
      add(details, 'pre', JSON.stringify(examples[0].payload, null, 2))
    }
  }
}
