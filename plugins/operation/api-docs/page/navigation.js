import { h } from './dom.js'
import { findEntries } from './model.js'
import { say } from './words.js'

const MAX_RESULTS = 50

/** Creates the navigation: the topics in their order, or what a search finds. */
export function createNavigation(model) {
  const input = h('input', {
    type: 'search',
    id: 'search',
    placeholder: say('searchHint'),
    'aria-label': say('search'),
    autocomplete: 'off',
    spellcheck: 'false',
    autocapitalize: 'off',
    'aria-controls': 'results',
  })
  const count = h('p', { class: 'offscreen', role: 'status' })
  const results = h('ul', { id: 'results', hidden: true })
  const topics = h(
    'div',
    {},
    createLinks([
      ['introduction', say('introduction')],
      ['errors', say('errors')],
    ]),
    model.groups.map(createTopic),
  )

  const search = () => {
    const text = input.value.trim()
    const found = text ? findEntries(model, text).slice(0, MAX_RESULTS) : []
    results.replaceChildren(...found.map(createLink))
    if (text && found.length === 0) results.append(h('li', { class: 'muted' }, say('noResults')))
    results.hidden = text === ''
    topics.hidden = text !== ''
    count.textContent = text ? `${found.length} ${say('results')}` : ''
  }
  input.addEventListener('input', search)
  input.addEventListener('keydown', (event) => {
    const first = results.querySelector('a')
    if (event.key === 'Escape') {
      input.value = ''
      search()
    } else if (event.key === 'Enter' && first) {
      event.preventDefault()
      first.click()
    } else if (event.key === 'ArrowDown' && first) {
      event.preventDefault()
      first.focus()
    }
  })
  results.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (!step) return
    event.preventDefault()
    const links = [...results.querySelectorAll('a')]
    const next = links[links.indexOf(document.activeElement) + step]
    if (next) next.focus()
    else if (step < 0) input.focus()
  })

  const element = h(
    'nav',
    { id: 'navigation', 'aria-label': say('navigation') },
    h('div', { class: 'search', role: 'search' }, input),
    count,
    results,
    topics,
  )
  return {
    element,
    focusSearch: () => input.focus(),
    /** Marks the link of the page that is shown, and opens its topic. */
    mark(id) {
      for (const link of element.querySelectorAll('a[aria-current]')) link.removeAttribute('aria-current')
      for (const link of element.querySelectorAll('a')) {
        if (link.hash.slice(1) !== id) continue
        link.setAttribute('aria-current', 'page')
        const topic = link.closest('details')
        if (topic) topic.open = true
        if (!topics.hidden) link.scrollIntoView({ block: 'nearest' })
      }
    },
  }
}

const createLinks = (links) =>
  h(
    'ul',
    {},
    links.map(([id, title]) => h('li', {}, h('a', { href: `#${id}` }, title))),
  )

const createLink = ({ id, method, summary }) =>
  h(
    'li',
    {},
    h(
      'a',
      { href: `#${id}`, title: summary },
      h('span', { class: `method ${method.toLowerCase()}` }, method === 'DELETE' ? 'DEL' : method),
      h('span', { lang: 'en' }, summary),
    ),
  )

const createTopic = ({ id, name, entries }) =>
  h(
    'details',
    { class: 'topic' },
    h('summary', {}, name),
    h('ul', {}, h('li', {}, h('a', { href: `#${id}` }, say('overview'))), entries.map(createLink)),
  )
