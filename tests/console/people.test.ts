import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { eventually } from '../../plugin-api/testing/waiting.ts'
import t from '../run/file-test.ts'
import { onlyLong } from '../run/tier.ts'
import { ALL_RULES, findBarriers } from '../support/axe.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { openConsole, serveConsole } from '../support/console.ts'
import { pluginSource } from '../support/kernel.ts'
import { createHome, installPlugin, startServer } from '../support/server.ts'

/** The pages with their headings. */
const PAGES = {
  account: 'Account',
  people: 'People',
  'people/groups': 'People',
  invites: 'Invites',
  sso: 'Single sign-on',
  audit: 'Audit',
  overview: 'Overview',
  skills: 'Skill packages',
  usage: 'Usage',
  'first-run': 'Welcome',
}
const ADMINISTRATION = ['People', 'Invites', 'Single sign-on', 'Audit', 'Overview']

/** A plugin with a page, which needs a permission. */
const NOTES = pluginSource(
  'notes',
  `host.extend('console.slots', {
     slot: 'pages', label: { en: 'Notes', zh: '笔记' }, when: { permission: 'users' },
     module: 'web/page.js',
   })`,
)
const NOTES_PAGE = `export default function mount(element, { locale, request }) {
  request('GET', '/auth/me').then(({ username }) => element.append(locale + ' notes of ' + username))
  return { unmount() {} }
}`

t.test('accounts and their administration in a browser', { skip: noChromium }, async (t) => {
  const home = createHome(t)
  installPlugin(home, 'notes', NOTES)
  mkdirSync(join(home, 'plugins/notes/web'))
  writeFileSync(join(home, 'plugins/notes/web/page.js'), NOTES_PAGE)
  const [server, browser] = await Promise.all([startServer(t, { home }), startChromium(t)])
  const url = await serveConsole(t, server)
  const ada = await server.createUser({ username: 'ada' })
  await server.createUser({ username: 'grace' })
  const manager = await server.createUser({ username: 'manager', permissions: ['users', 'channels'] })
  const { page, faults } = await openConsole(browser, url, { path: '/people' })
  const user = async (name: string) => (await server.request('GET', `/users/${name}`)).body

  const heading = (name: string, on: Page = page) =>
    on.getByRole('heading', { name, exact: true }).first().waitFor()
  const go = async (entry: string, on: Page = page) => {
    await on
      .getByRole('navigation', { name: 'Settings' })
      .getByRole('link', { name: entry, exact: true })
      .click()
  }
  const sheet = page.getByRole('dialog')
  const isClosed = () => sheet.waitFor({ state: 'detached' })
  const menuOf = async (on: Page) => {
    await on.goto('/settings')
    const menu = on.getByRole('navigation', { name: 'Settings' })
    await menu.getByRole('link', { name: 'Account' }).waitFor()
    const entries = await Promise.all(
      ADMINISTRATION.map(async (name) =>
        (await menu.getByRole('link', { name, exact: true }).count()) ? [name] : [],
      ),
    )
    return entries.flat()
  }

  await t.test(
    'the page of a plugin is in the menu of those who may use it',
    { skip: onlyLong },
    async (t) => {
      await go('Notes')
      await heading('Notes')
      await page.getByText('en notes of admin').waitFor()
      await go('People')
      t.equal(await page.getByText('en notes of admin').count(), 0)
      const { page: other } = await openConsole(browser, url, { username: 'ada', password: ada.password })
      await other.getByRole('link', { name: 'Settings', exact: true }).click()
      await other.getByRole('navigation', { name: 'Settings' }).waitFor()
      t.equal(await other.getByRole('link', { name: 'Notes', exact: true }).count(), 0)
      await other.close()
      t.strictSame(faults, [])
    },
  )

  await t.test('an administrator creates, changes and deletes accounts', async (t) => {
    await heading('People')
    await page.getByRole('button', { name: 'Add person' }).click()
    await sheet.getByLabel('Username').fill('Lin')
    await sheet.getByLabel('Initial password', { exact: true }).fill('short1234567')
    await sheet.getByLabel('Token limit').fill('5000')
    await sheet.getByRole('checkbox', { name: 'Channels' }).check()
    await sheet.getByRole('button', { name: 'Create account' }).click()
    await isClosed()
    t.match(await user('lin'), { role: 'user', token_quota: 5000, permissions: ['channels'] })

    const list = page.getByRole('table', { name: 'People' })
    await page.getByRole('searchbox', { name: 'Search in People' }).fill('lin')
    await list.getByRole('button', { name: 'lin' }).click()
    await sheet.getByLabel('Name', { exact: true }).fill('Lin Wei')
    await sheet.getByRole('button', { name: 'Save' }).click()
    await isClosed()
    await list.getByText('Lin Wei').click()
    await sheet.getByRole('button', { name: 'Disable' }).click()
    await page
      .getByRole('dialog', { name: 'Disable Lin Wei?' })
      .getByRole('button', { name: 'Disable' })
      .click()
    await list.getByText('Disabled').waitFor()
    t.match(await user('lin'), { display_name: 'Lin Wei', enabled: false })

    await list.getByText('Lin Wei').click()
    await sheet.getByRole('button', { name: 'Delete account' }).click()
    const asked = page.getByRole('dialog', { name: 'Delete Lin Wei?' })
    const confirm = asked.getByRole('button', { name: 'Delete account' })
    t.ok(await confirm.isDisabled())
    await asked.getByRole('textbox').fill('lin')
    await confirm.click()
    await page.getByText('No results.').waitFor()
    t.equal((await server.request('GET', '/users/lin')).status, 404)
  })

  await t.test('several accounts are selected, disabled and enabled at once, in natural order', async (t) => {
    for (const username of ['crew10', 'crew2', 'crew1']) await server.createUser({ username })
    await page.goto('/people')
    const rows = page.getByRole('table', { name: 'People' }).getByRole('row')
    await rows.filter({ hasText: 'crew10' }).waitFor()
    const texts = await rows.filter({ hasText: /crew\d/ }).allTextContents()
    t.strictSame(
      texts.map((text) => /crew\d+/.exec(text)?.[0]),
      ['crew1', 'crew2', 'crew10'],
    )
    const columns = page.getByRole('columnheader')
    await page.getByRole('button', { name: 'Last seen' }).click()
    const [last] = (await server.request('GET', '/users?sort=-last_seen')).body
    await rows.nth(1).filter({ hasText: last.username }).waitFor()
    t.equal(await columns.filter({ hasText: 'Last seen' }).getAttribute('aria-sort'), 'descending')
    for (const name of ['crew1', 'crew10']) await page.getByLabel(`Select ${name}`, { exact: true }).check()
    const bar = page.getByRole('group', { name: 'Selected accounts' })
    await bar.getByText('2 selected').waitFor()
    await bar.getByRole('button', { name: 'Disable' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
    await bar.waitFor({ state: 'detached' })
    const readStates = async () =>
      Promise.all(
        ['crew1', 'crew2', 'crew10'].map(
          async (name) => (await server.request('GET', `/users/${name}`)).body.enabled,
        ),
      )
    t.strictSame(await readStates(), [false, true, false])
    for (const name of ['crew1', 'crew10']) await page.getByLabel(`Select ${name}`, { exact: true }).check()
    await bar.getByRole('button', { name: 'Enable' }).click()
    await bar.waitFor({ state: 'detached' })
    t.strictSame(await readStates(), [true, true, true])

    await server.request('POST', '/groups', { body: { name: 'Crew', permissions: ['channels'] } })
    await page.reload()
    for (const name of ['crew2', 'crew10']) await page.getByLabel(`Select ${name}`, { exact: true }).check()
    await server.request('DELETE', '/users/crew2')
    await bar.getByRole('button', { name: 'Add to group' }).click()
    await page.getByRole('combobox', { name: 'Group' }).click()
    await page.getByRole('listbox').getByRole('option', { name: 'Crew' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click()
    const refused = page.getByRole('alert').filter({ hasText: '1 account was not changed:' })
    await refused
      .getByRole('listitem')
      .filter({ hasText: /^crew2: ./ })
      .waitFor()
    await bar.getByText('1 selected').waitFor()
    await rows.filter({ hasText: 'crew10' }).getByText('Crew', { exact: true }).waitFor()
    await page.getByLabel('Show', { exact: true }).selectOption({ label: 'Crew' })
    await page.getByText('1 account', { exact: true }).waitFor()
    t.equal(await rows.count(), 2, 'the headings, and the only member')
  })

  await t.test('groups are created, get members, and grant them rights', async (t) => {
    await page.goto('/people/groups')
    await page.getByRole('button', { name: 'Add group' }).click()
    await sheet.getByLabel('Name', { exact: true }).fill('Sales')
    await sheet.getByRole('checkbox', { name: 'Knowledge bases' }).check()
    await sheet.getByLabel('Budget', { exact: true }).fill('20')
    await sheet.getByRole('button', { name: 'Create group' }).click()
    await sheet.getByRole('combobox', { name: 'Add a member' }).fill('crew1')
    await page.getByRole('option', { name: 'crew10' }).waitFor()
    const options = page.getByRole('listbox').getByRole('option')
    await eventually('only those whom the text names', async () => (await options.count()) === 2)
    t.strictSame(await options.allTextContents(), ['crew1', 'crew10'])
    await options.first().click()
    await sheet.getByRole('list', { name: 'Members' }).getByText('crew1').waitFor()
    await sheet.getByRole('button', { name: 'Cancel' }).click()
    await isClosed()
    const groups = page.getByRole('list', { name: 'Groups' })
    await groups.getByRole('listitem').filter({ hasText: 'Sales' }).getByText('1 member').waitFor()
    const { body } = await server.request('GET', '/groups/Sales')
    t.match(body, { permissions: ['knowledge_bases'], budget: { amount: 20, window: 'month' } })

    await page.getByRole('link', { name: 'People' }).last().click()
    const row = page.getByRole('row').filter({ hasText: 'crew1' }).first()
    await row.getByText('Sales').waitFor()
    await row.getByRole('button', { name: 'crew1' }).click()
    const inherited = sheet.getByRole('checkbox', { name: 'Knowledge bases' })
    await sheet.getByText('From Sales').waitFor()
    t.ok((await inherited.isChecked()) && (await inherited.isDisabled()))
    await sheet.getByRole('tab', { name: 'What this person may do' }).click()
    const rights = sheet.getByRole('region', { name: 'Permissions' })
    await rights.getByRole('listitem').filter({ hasText: 'Knowledge bases' }).getByText('Sales').waitFor()
    await sheet.getByText('20 per month').waitFor()
    await sheet.getByRole('button', { name: 'Cancel' }).click()
    await isClosed()

    await page.getByRole('link', { name: 'Groups' }).click()
    await groups.getByRole('button', { name: 'Everyone' }).click()
    await sheet.getByText('This group cannot be deleted.').waitFor()
    await sheet.getByRole('button', { name: 'Cancel' }).click()
    await isClosed()
    await groups.getByRole('button', { name: 'Sales' }).click()
    await sheet.getByRole('button', { name: 'Delete group' }).click()
    const asked = page.getByRole('dialog', { name: 'Delete Sales?' })
    await asked.getByText(/^1 member loses/).waitFor()
    await asked.getByRole('button', { name: 'Delete group' }).click()
    await groups.getByRole('button', { name: 'Sales' }).waitFor({ state: 'detached' })
    t.strictSame(
      (await user('crew1')).groups.map(({ name }: { name: string }) => name),
      ['everyone'],
    )
  })

  await t.test('the overview shows the health first, and plugins on demand', async () => {
    await page.goto('/overview')
    const health = page.getByRole('region', { name: 'Health' })
    await health.getByText('Free disk space').waitFor()
    await health.getByText('Never').waitFor()
    const plugins = page.getByRole('region', { name: 'Plugins' })
    await plugins.getByText(/^All \d+ plugins$/).click()
    await plugins.getByText('chat', { exact: true }).waitFor()
    await page.goto('/people')
  })

  await t.test('a change by somebody else meanwhile is not overwritten', async (t) => {
    await page.getByRole('searchbox', { name: 'Search in People' }).fill('')
    await page.getByRole('table', { name: 'People' }).getByRole('button', { name: 'grace' }).click()
    await sheet.getByLabel('Email').fill('grace@example.com')
    await server.request('PATCH', '/users/grace', { body: { display_name: 'Admiral' } })
    await sheet.getByRole('button', { name: 'Save' }).click()
    await sheet.getByRole('alert').waitFor()
    t.match(await user('grace'), { display_name: 'Admiral', email: null })
    await sheet.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Discard' }).click()
    await isClosed()
  })

  await t.test('an invite is created with a link, and revoked', async (t) => {
    await go('Invites')
    await page.getByRole('button', { name: 'Invite people' }).click()
    await sheet.getByLabel('Note').fill('For Mei')
    await sheet.getByRole('button', { name: 'Create invite' }).click()
    t.match(await sheet.getByLabel('Link', { exact: true }).inputValue(), `${url}/invite?code=`)
    await sheet.getByRole('img', { name: 'QR code of the link' }).waitFor()
    await sheet.getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('list', { name: 'Invites' }).getByText('Revoked').waitFor()
  })

  await t.test('rules of single sign-on are tried before they are stored', async () => {
    await go('Single sign-on')
    await page.getByRole('list', { name: 'Single sign-on' }).getByRole('button').first().click()
    await sheet.getByRole('button', { name: 'Add rule' }).click()
    await sheet.getByLabel('If field').fill('groups')
    await sheet.getByLabel('has value').fill('ops')
    await sheet.getByRole('checkbox', { name: 'Channels' }).check()
    await sheet.getByLabel('Value of groups').fill('ops, dev')
    await sheet.getByRole('button', { name: 'Show granted permissions' }).click()
    await sheet.getByText('User with: Channels').waitFor()
    await sheet.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Discard' }).click()
    await isClosed()
  })

  await t.test('the audit log is filtered, and shows details in words', async (t) => {
    await go('Audit')
    await page.getByLabel('Action', { exact: true }).selectOption({ label: 'Account deleted' })
    await page
      .getByRole('list', { name: 'Audit' })
      .getByRole('button', { name: 'Account deleted' })
      .last()
      .click()
    await sheet.getByText('Done').waitFor()
    t.match(await sheet.textContent(), /lin/)
    await sheet.getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('button', { name: 'Verify', exact: true }).waitFor()
  })

  await t.test('skill packages are made, and their skills written', async (t) => {
    await go('Skills')
    await page.getByRole('button', { name: 'Create package' }).click()
    await sheet.getByLabel('Name').fill('Office')
    await sheet.getByRole('button', { name: 'Save' }).click()
    await isClosed()
    await page.getByRole('link', { name: 'Office' }).click()
    await page.getByRole('button', { name: 'Add skill' }).click()
    await sheet.getByLabel('Name').fill('Letters')
    await sheet.getByLabel('Description').fill('Writes letters')
    await sheet.getByRole('button', { name: 'Create and edit' }).click()
    const text = sheet.getByRole('textbox', { name: 'SKILL.md' })
    await text.fill('---\nname: Letters\ndescription: Writes letters\n---\n\nBe brief.')
    await sheet.getByRole('button', { name: 'Save' }).click()
    await isClosed()
    await page
      .getByRole('list', { name: 'Skills' })
      .getByRole('button', { name: 'Letters', exact: true })
      .click()
    t.match(await text.inputValue(), /Be brief\.$/)
    await sheet.getByRole('button', { name: 'Close' }).first().click()
    await isClosed()
  })

  await t.test('usage and steps of a conversation are shown', async () => {
    const thread = await server.request('POST', '/agents/assistant/threads', { body: { title: 'Numbers' } })
    const { thread_id } = thread.body
    const socket = await server.connect('/agents/assistant/chat/ws')
    socket.send({ type: 'user_turn', text: 'Hello', thread_id })
    await socket.next('done')
    await page.evaluate(`history.pushState(null, '', '/chat/assistant/${thread_id}/trajectory')`)
    await heading('Steps in “Numbers”')
    const steps = page.getByRole('list', { name: 'Turns' })
    await steps.getByRole('button', { name: /^Message\s*Hello/ }).waitFor()
    await steps.getByRole('button', { name: /^Model call/ }).click()
    await sheet.getByText('input tokens').waitFor()
    await sheet.getByRole('button', { name: 'Close' }).last().click()
    socket.send({ type: 'user_turn', text: 'Once more', thread_id })
    await steps.getByRole('button', { name: /^Message\s*Once more/ }).waitFor()

    await page.getByRole('link', { name: 'Settings', exact: true }).click()
    await go('Usage')
    await page.getByRole('table', { name: 'By model' }).getByText('demo:demo').waitFor()
    await page.getByText('Everyone').click()
    await page.getByRole('table', { name: 'By person' }).getByText('admin').waitFor()
  })

  await t.test('somebody edits their own account', { skip: onlyLong }, async (t) => {
    await server.request('POST', '/auth/login', {
      token: null,
      body: { username: 'ada', password: ada.password },
    })
    const { page } = await openConsole(browser, url, {
      path: '/account',
      username: 'ada',
      password: ada.password,
    })
    t.strictSame(await menuOf(page), [], 'nothing of the administration')
    await page.getByRole('button', { name: 'Create API key' }).click()
    const sheet = page.getByRole('dialog')
    await sheet.getByLabel('Name').fill('Editor')
    t.equal(await sheet.getByRole('checkbox').count(), 3, 'only scopes that the account has')
    await sheet.getByRole('button', { name: 'Create', exact: true }).click()
    const key = await sheet.locator('code').textContent()
    t.equal((await server.request('GET', '/agents', { token: key })).status, 200)
    await sheet.getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('list', { name: 'API keys' }).getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No API keys').waitFor()
    t.equal((await server.request('GET', '/agents', { token: key })).status, 401)

    await page.getByRole('button', { name: 'End all other sessions' }).click()
    await page.getByRole('button', { name: 'End all other sessions' }).waitFor({ state: 'detached' })
    await page.getByText('This session').waitFor()
    await page.goto(`${url}/people`)
    await page.getByText('Ask an administrator for the permission “People”.').waitFor()
    t.equal(await page.getByRole('button', { name: 'Add person' }).count(), 0)
    await page.close()
  })

  await t.test(
    'a manager of accounts sees what this permission opens, and grants no more than it holds',
    async (t) => {
      const { username, password } = manager
      const { page } = await openConsole(browser, url, { path: '/people', username, password })
      t.strictSame(await menuOf(page), ['People', 'Invites'])
      await go('People', page)
      const list = page.getByRole('table', { name: 'People' })
      await list.getByRole('button', { name: 'ada' }).click()
      const sheet = page.getByRole('dialog')
      await sheet.getByRole('checkbox', { name: 'People' }).waitFor()
      t.equal(await sheet.getByRole('checkbox').count(), 2)
      t.equal(await sheet.getByText('Administrator').count(), 0)
      await sheet.getByRole('button', { name: 'Cancel' }).click()
      t.equal(await list.getByRole('button', { name: 'admin' }).count(), 0, 'administrators cannot be opened')
      await page.close()
    },
  )

  const looks = [
    ['dark', 390],
    ['light', 1440],
  ] as const
  for (const [colorScheme, width] of looks)
    await t.test(
      `no page has a fault of accessibility or is too wide, ${colorScheme}`,
      { skip: onlyLong },
      async (t) => {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 900 })
        await page.goto('/account')
        await heading('Account')
        if (width < 640) await page.locator('header h1', { hasText: 'Account' }).waitFor()
        for (const [path, title] of Object.entries(PAGES)) {
          await page.evaluate(`history.pushState(null, '', '/${path}')`)
          await heading(title)
          await eventually(
            'the page has loaded',
            async () => (await page.locator('[aria-label="Loading…"]').count()) === 0,
          )
          t.strictSame(await findBarriers(page, ALL_RULES), [], path)
          t.equal(
            await page.evaluate('document.documentElement.scrollWidth > innerWidth'),
            false,
            `${path} fits`,
          )
        }
      },
    )

  t.strictSame(faults, [])
})
