import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../run/file-test.ts'
import { ALL_RULES, findBarriers } from '../support/axe.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { openConsole } from '../support/console.ts'
import { packFolder, startRegistry, writePackage } from '../support/fake-registry.ts'
import { createHome, pluginSource } from '../support/kernel.ts'
import { serveHome } from '../support/served-home.ts'
import { installPlugin } from '../support/server.ts'

const SETTINGS = `config: { greeting: { type: 'string', default: 'Hi', maxLength: 10 }, token: { type: 'string', writeOnly: true } },`

t.test(
  'an administrator changes, installs and restarts plugins on a page',
  { skip: noChromium },
  async (t) => {
    const work = createHome(t)
    const greet = packFolder(writePackage(work, { name: 'svc-greet', source: pluginSource('greet', '') }))
    const { env } = await startRegistry(t, [greet])
    const home = createHome(t)
    const config = { plugins: { plugins: { install: true }, notes: { token: 'tok-very-secret' } } }
    writeFileSync(join(home, 'config.json'), JSON.stringify(config))
    installPlugin(home, 'notes', pluginSource('notes', '', SETTINGS))
    const server = await serveHome(t, home, env)
    const browser = await startChromium(t)
    const { page, faults } = await openConsole(browser, server.starts[0]!.url, { path: '/plugins' })
    const row = (name: string) =>
      page.getByRole('listitem').filter({ has: page.getByRole('button', { name, exact: true }) })
    const open = (name: string) => page.getByRole('button', { name, exact: true }).click()
    const save = () => page.getByRole('button', { name: 'Save' }).click()

    await open('chat')
    t.ok(await page.getByLabel('Turned on').isDisabled(), 'a plugin that others need stays on')
    await page.getByText(/^Needed by /).waitFor()
    t.strictSame(await findBarriers(page, ALL_RULES), [])
    await page.getByRole('button', { name: 'Cancel' }).click()

    await open('notes')
    await page.getByLabel('Greeting').fill('far too long a greeting')
    await save()
    await page.getByText('At most 10 characters.').waitFor()
    await page.getByLabel('Greeting').fill('Hello')
    t.notOk((await page.content()).includes('tok-very-secret'))
    await save()
    await row('notes').getByText('New settings after restart').waitFor()

    await page.getByRole('button', { name: 'Install plugin' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Package').fill('svc-greet')
    await dialog.getByRole('button', { name: 'Install plugin' }).click()
    await dialog.getByText('Invalid format.').or(dialog.getByText(/npm/).nth(3)).first().waitFor()
    await dialog.getByLabel('Package').fill('svc-greet@1.0.0')
    await dialog.getByRole('button', { name: 'Install plugin' }).click()
    await row('svc-greet').getByText('Starts after restart').waitFor()
    t.strictSame(await findBarriers(page, ALL_RULES), [], 'with the notice')

    await page.getByRole('button', { name: 'Restart server' }).click()
    await dialog.getByRole('button', { name: 'Restart server' }).click()
    await page.getByText('The server is restarting.').waitFor()
    await page.getByText('The server has restarted.').waitFor({ timeout: 120_000 })
    await row('greet').getByText('Running').waitFor()
    await row('notes').getByText('Running').waitFor()
    t.equal(await page.getByText('Restart to apply your changes').count(), 0)
    await open('notes')
    t.equal(await page.getByLabel('Greeting').inputValue(), 'Hello')
    t.strictSame(faults, [])
  },
)
