import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CONSOLE_SLOTS } from '../../plugin-api/console.ts'
import { pluginSource, routeSource } from './kernel.ts'
import { installPlugin } from './server.ts'

/** A module that writes down what happens to it, and makes what its slot is for. */
const PROBE = `
const ICON = '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M7 10v12M15 5.9 14 10h5.8a2 2 0 0 1 1.9 2.6l-2.3 8A2 2 0 0 1 17.5 22H4a2 2 0 0 1-2-2v-8a2 2 0 0 1 2-2h2.8L12 2a3.1 3.1 0 0 1 3 3.9"/></svg>'
const log = (globalThis.slotLog ??= [])
const words = { en: ['Praise', 'Dictate', 'Tone', 'Translate', 'Save'], zh: ['评价', '听写', '语气', '翻译', '保存'] }

export default function mount(element, context) {
  let current = context
  const { slot } = element.dataset
  const note = (event) => {
    const { locale, theme, agent_id, thread_id, message_id, text } = current
    log.push({ event, slot, locale, theme, agent_id, thread_id, message_id, text })
  }
  const [praise, dictate, tone, translate, save] = words[context.locale]
  const button = (name, className, text, run) => {
    const one = document.createElement('button')
    one.type = 'button'
    one.className = className
    if (className === 'slot-icon-button') one.innerHTML = ICON
    else one.textContent = text
    one.ariaLabel = one.title = name
    one.onclick = run
    element.append(one)
  }
  const made = {
    'message.actions': () => button(praise, 'slot-icon-button', '', () => current.toast(praise + ' ' + current.text)),
    'composer.actions': () => button(dictate, 'slot-icon-button', '', () => current.insert('dictated ')),
    'composer.options': () => button(tone, 'slot-chip', tone, () => {}),
    'thread.menu': () => button(translate, 'slot-menu-item', translate, () => current.toast(translate + ' ' + current.thread_id)),
  }
  const makePart = () => {
    element.innerHTML =
      '<div class="slot-card"><p>Notes <span class="slot-meta">of everybody</span></p>' +
      '<div class="slot-row"><input class="slot-input" aria-label="Note"><output class="slot-meta"></output></div></div>'
    const row = element.querySelector('.slot-row')
    button(save, 'slot-button', save, async () => {
      const output = element.querySelector('output')
      const { value } = element.querySelector('input')
      output.textContent = await current
        .request('POST', '/probe', { value })
        .then(JSON.stringify, ({ code, message }) => code + ': ' + message)
    })
    row.append(element.lastChild)
    row.lastChild.dataset.primary = ''
  }
  ;(made[slot] ?? makePart)()
  note('mount')
  return {
    update(next) {
      current = next
      note('update')
    },
    unmount: () => note('unmount'),
  }
}
`

/** Modules that fail, by their names. */
const WRECKS = {
  mount: `export default () => { throw new Error('mount of a wreck') }`,
  rejected: `export default async () => { throw new Error('rejection of a wreck') }`,
  nothing: `export const mount = () => ({ unmount() {} })`,
  returned: `export default () => undefined`,
  syntax: `export default (`,
  update: `export default (element) => {
    element.append('a wreck that is still whole')
    return { update() { throw new Error('update of a wreck') }, unmount() {} }
  }`,
  unmount: `export default (element) => {
    element.append('a wreck to leave')
    return { unmount() { throw new Error('unmount of a wreck') } }
  }`,
}

/** The icon of what the plugin adds. */
const ICON = 'M4 4h16v16H4z'

/** Installs a plugin that adds one module to every slot, and routes for it to call. */
export function installProbe(home: string): void {
  const entries = CONSOLE_SLOTS.map((slot) => ({
    slot,
    module: 'console/probe.js',
    label: { en: 'Notes', zh: '笔记' },
    icon: ICON,
    ...(slot === 'pages' && { path: '/notes' }),
    ...(slot === 'admin.pages' && { path: '/all-notes', label: { en: 'All notes', zh: '所有笔记' } }),
  }))
  const routes = [
    `{ method: 'POST', path: '/probe', guard: 'user', audit: { none: 'a test' }, summary: 'Probe',
       body: { type: 'object', properties: { value: { type: 'string', maxLength: 10 } }, required: ['value'] },
       response: { 200: {} }, handler: async ({ body }) => ({ saved: body.value }) }`,
    routeSource('/probe', '({ ok: true })'),
  ]
  install(home, 'probe', entries, { probe: PROBE }, `host.routes([${routes}])`)
}

/** Installs a plugin with a module in every slot that throws when it is mounted. */
export const installWreck = (home: string): void =>
  install(
    home,
    'wreck',
    CONSOLE_SLOTS.map((slot) => ({
      slot,
      module: 'console/mount.js',
      ...(slot === 'pages' && { path: '/wreck' }),
      ...(slot === 'admin.pages' && { path: '/wrecks' }),
    })),
    WRECKS,
  )

/** Installs a plugin whose modules fail one way each, as parts of the page of the account. */
export const installWrecks = (home: string): void =>
  install(
    home,
    'wrecks',
    Object.keys(WRECKS).map((name) => ({
      slot: 'account.sections',
      module: `console/${name}.js`,
      label: { en: `Wreck ${name}`, zh: `残骸 ${name}` },
    })),
    WRECKS,
  )

function install(
  home: string,
  name: string,
  entries: object[],
  modules: Record<string, string>,
  setup = '',
): void {
  const calls = entries.map((entry) => `host.extend('console.slots', ${JSON.stringify(entry)})`)
  installPlugin(home, name, pluginSource(name, [...calls, setup].join('\n'), "depends: ['auth'],"))
  const folder = join(home, 'plugins', name, 'console')
  mkdirSync(folder)
  for (const [module, source] of Object.entries(modules)) writeFileSync(join(folder, `${module}.js`), source)
}
