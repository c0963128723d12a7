import { codeBlock, h } from './dom.js'
import { renderInline, renderMarkdown } from './markdown.js'
import { loadModel } from './model.js'
import { createNavigation } from './navigation.js'
import { renderAddress, renderOperation, renderSocket, section, table } from './operation.js'
import { createSchemaView } from './schema.js'
import { createSessionButton } from './session.js'
import { language, say, switchLanguage } from './words.js'

document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en'
const main = h('main', { id: 'main', tabindex: '-1' }, h('p', { class: 'muted' }, say('loading')))
document.body.append(main)

function start(model) {
  const view = createSchemaView(model.schemas)
  const navigation = createNavigation(model)
  const menu = h(
    'button',
    { type: 'button', class: 'quiet menu', 'aria-expanded': 'false', 'aria-controls': 'navigation' },
    say('menu'),
  )
  const toggle = (isOpen) => {
    menu.setAttribute('aria-expanded', String(isOpen))
    document.body.classList.toggle('menu-open', isOpen)
  }
  menu.addEventListener('click', () => toggle(menu.getAttribute('aria-expanded') === 'false'))
  const header = h(
    'header',
    {},
    menu,
    h(
      'a',
      { class: 'brand', href: '#introduction' },
      h('img', { src: '/api/docs/icon.svg', alt: '', width: '24', height: '24' }),
      h('span', {}, model.info.title),
      h('span', { class: 'muted' }, say('title')),
    ),
    h(
      'div',
      { class: 'actions' },
      h(
        'button',
        { type: 'button', class: 'quiet', lang: language === 'en' ? 'zh-CN' : 'en', onclick: switchLanguage },
        say('language'),
      ),
      createSessionButton(model),
    ),
  )
  const skip = h(
    'a',
    {
      class: 'skip',
      href: '#main',
      onclick: (event) => {
        event.preventDefault()
        main.focus()
      },
    },
    say('skip'),
  )
  document.body.prepend(skip, header, navigation.element)

  addEventListener('keydown', (event) => {
    const isTyping =
      event.target instanceof Element && event.target.closest('input, textarea, select, dialog')
    if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey) {
      event.preventDefault()
      toggle(true)
      navigation.focusSearch()
    } else if (event.key === 'Escape') toggle(false)
  })

  let isFirst = true
  const show = () => {
    const id = decodeURIComponent(location.hash.slice(1)) || 'introduction'
    main.replaceChildren(...renderPage(id, model, view))
    const heading = main.querySelector('h1')
    document.title = `${heading.textContent} · ${model.info.title} API`
    navigation.mark(id)
    toggle(false)
    if (id.startsWith('error-')) document.getElementById(id)?.scrollIntoView()
    else scrollTo(0, 0)
    // Readers who listen learn that the page has changed.
    if (!isFirst) heading.focus({ preventScroll: true })
    isFirst = false
  }
  addEventListener('hashchange', show)
  show()
}

function renderPage(id, model, view) {
  const entry = model.entries.find((one) => one.id === id)
  const tag = model.groups.find((group) => group.id === id || group.name === entry?.tag)
  if (entry)
    return entry.kind === 'socket' ? renderSocket(entry, view, tag) : renderOperation(entry, view, tag)
  if (tag) return renderTag(tag)
  if (id === 'introduction') return renderIntroduction(model)
  if (id === 'errors' || id.startsWith('error-')) return renderErrorList(model)
  const name = id.replace(/^schema-/, '')
  if (id.startsWith('schema-') && model.schemas[name]) return renderComponent(name, model, view)
  return [h('h1', { tabindex: '-1' }, say('notFound'))]
}

function renderIntroduction({ info, groups }) {
  return [
    h('h1', { tabindex: '-1' }, info.title),
    h(
      'p',
      { class: 'muted' },
      `${say('version')} ${info.version} · ${say('server')} `,
      h('code', {}, `${location.origin}/api`),
    ),
    h('div', { class: 'prose', lang: 'en' }, renderMarkdown(info.description)),
    section(
      'documents',
      say('documents'),
      h(
        'ul',
        {},
        ['openapi.json', 'asyncapi.json'].map((name) => h('li', {}, h('a', { href: `/api/${name}` }, name))),
      ),
    ),
    section(
      'topics',
      say('topics'),
      h(
        'ul',
        { class: 'cards' },
        groups.map(({ id, name, description, entries }) =>
          h(
            'li',
            {},
            h('a', { href: `#${id}` }, name),
            h('span', { class: 'muted' }, ` ${entries.length} ${say('operations')}`),
            h('p', { lang: 'en' }, renderInline(description)),
          ),
        ),
      ),
    ),
  ]
}

const renderTag = ({ name, description, entries }) => [
  h('h1', { tabindex: '-1' }, name),
  h('div', { class: 'prose', lang: 'en' }, renderMarkdown(description)),
  h(
    'ul',
    { class: 'operations' },
    entries.map((entry) =>
      h(
        'li',
        {},
        h('a', { href: `#${entry.id}`, lang: 'en' }, entry.summary),
        h('span', { class: 'line' }, renderAddress(entry)),
      ),
    ),
  ),
]

const renderErrorList = ({ errors }) => [
  h('h1', { tabindex: '-1' }, say('errors')),
  table(
    [say('errorCode'), say('status'), say('meaning')],
    errors.map(({ code, statuses, meanings, operations }) => [
      h('code', { id: `error-${code}` }, code),
      [...statuses].map((status) => (status === 'default' ? '5xx' : status)).join(', '),
      [
        [...meanings].map((meaning) => h('p', { lang: 'en' }, meaning)),
        operations.size <= 12 &&
          h(
            'p',
            { class: 'muted' },
            `${say('answeredBy')} `,
            [...operations].flatMap((id) => [h('a', { href: `#${id}` }, h('code', {}, id)), ' ']),
          ),
      ],
    ]),
    'table stacked',
  ),
]

function renderComponent(name, { schemas, entries }, view) {
  const text = `#/components/schemas/${name}"`
  const users = entries.filter((entry) =>
    JSON.stringify([entry.contents, entry.replies, entry.sent, entry.received]).includes(text),
  )
  return [
    h('p', { class: 'crumbs' }, say('schema')),
    h('h1', { tabindex: '-1' }, name),
    schemas[name].description && h('p', { lang: 'en' }, renderInline(schemas[name].description)),
    h(
      'div',
      { class: 'columns' },
      h('div', { class: 'left' }, view.renderSchema(schemas[name])),
      h(
        'div',
        { class: 'right' },
        codeBlock(JSON.stringify(view.exampleOf(schemas[name]), null, 2), { title: say('example') }),
        users.length > 0 &&
          section(
            'users',
            say('usedBy'),
            h(
              'ul',
              {},
              users.map(({ id, summary }) => h('li', {}, h('a', { href: `#${id}`, lang: 'en' }, summary))),
            ),
          ),
      ),
    ),
  ].filter(Boolean)
}

const model = await loadModel().catch((error) => {
  main.replaceChildren(h('p', { class: 'failure', role: 'alert' }, `${say('unreachable')} ${error.message}`))
})
if (model) start(model)
