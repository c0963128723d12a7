import type { Locator, Page } from 'playwright-core'
import { eventually } from '../../plugin-api/testing/waiting.ts'
import t from '../run/file-test.ts'
import { ALL_RULES, findBarriers } from '../support/axe.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { openConsole, serveConsole } from '../support/console.ts'
import { startServer } from '../support/server.ts'

const picker = (on: Page | Locator) => on.getByRole('combobox', { name: 'Add people or groups' })
const accessOf = (on: Page | Locator, name: string) =>
  on.getByRole('combobox', { name: `Access: ${name}`, exact: true })
const whoCanUse = (on: Page | Locator) => on.getByRole('list', { name: 'Who can use this' })

/** Types a part of a name, and chooses the first match by the keyboard. */
async function choose(page: Page, field: Locator, text: string, name: string): Promise<void> {
  await field.fill(text)
  await page.getByRole('option', { name }).waitFor()
  await page.getByText(`1 match: ${name}`).waitFor({ state: 'attached' })
  await field.press('Enter')
}

t.test('sharing in a browser', { skip: noChromium }, async (t) => {
  const [server, browser] = await Promise.all([startServer(t), startChromium(t)])
  const url = await serveConsole(t, server)
  const permissions = ['knowledge_bases', 'skill_packages']
  const [ada, grace] = await Promise.all(
    ['ada', 'grace', 'lin'].map((username) => server.createUser({ username, permissions })),
  )
  const group = await server.call('POST', '/groups', { name: 'Research' })
  const agent = await server.call('POST', '/agents', { name: 'Researcher' }, ada!.token)
  const prompt = await server.call('POST', '/prompts', { name: 'summary', text: 'Shorter.' }, ada!.token)
  const open = (username: string, path: string, options = {}) =>
    openConsole(browser, url, { path, username, password: `${username}-password-1`, ...options })
  const { page, faults } = await open('ada', `/agents/${agent.id}/sharing`)
  const sheet = page.getByRole('dialog')
  const isClosed = () => sheet.waitFor({ state: 'detached' })
  const save = (on: Page | Locator = page) => on.getByRole('button', { name: 'Save', exact: true }).click()
  const grantsOf = async (path: string, token = ada!.token) =>
    (await server.call('GET', `${path}/grants`, undefined, token)).map(
      ({ user, group, everyone, access }: Record<string, unknown>) =>
        `${user ?? group ?? `everyone: ${everyone}`}, ${access}`,
    )

  await t.test('an owner shares an agent with a person, a group and everyone', async (t) => {
    await picker(page).fill('nobody at all')
    await page.getByText('Nobody matches').first().waitFor()
    await choose(page, picker(page), 'gra', 'grace')
    await choose(page, picker(page), 'res', 'Research')
    await accessOf(page, 'Research').selectOption('Can edit')
    await accessOf(page, 'Everyone on this server').selectOption('Can use')
    const status = page.getByRole('status').filter({ hasText: 'When you save' })
    await status.getByText('Can now use it: grace, everyone on this server').waitFor()
    await status.getByText('Can now edit it: Research').waitFor()
    await page.getByText('Everyone can already use it.').waitFor()
    t.strictSame(await findBarriers(page, ALL_RULES), [])
    await save()
    await status.waitFor({ state: 'detached' })
    t.strictSame(await grantsOf(`/agents/${agent.id}`), [
      'grace, use',
      `${group.id}, edit`,
      'everyone: true, use',
    ])
    await picker(page).fill('grace')
    await page.getByText('Nobody matches').first().waitFor()
    await picker(page).fill('')
  })

  await t.test('the page says what ends for those who lose access', async (t) => {
    await accessOf(page, 'Everyone on this server').selectOption('No access')
    await page.getByRole('button', { name: 'Remove grace' }).click()
    await page.getByText('No longer shared with: grace, everyone on this server').waitFor()
    await page.getByText('open chats and running answers end at once').waitFor()
    // Somebody else shares it meanwhile, which stays.
    await server.call('PUT', `/agents/${agent.id}/grants`, [
      { user: 'grace', access: 'use' },
      { group: group.id, access: 'edit' },
      { everyone: true, access: 'use' },
      { user: 'lin', access: 'edit' },
    ])
    await save()
    await whoCanUse(page).getByText('lin', { exact: true }).waitFor()
    t.strictSame(await grantsOf(`/agents/${agent.id}`), [`${group.id}, edit`, 'lin, edit'])
  })

  await t.test(
    'who may edit an agent sees who can use it, and can neither share nor delete it',
    async (t) => {
      const { page: other } = await open('lin', `/agents/${agent.id}/sharing`)
      await whoCanUse(other).getByText('Can edit').first().waitFor()
      await other.getByText('Only ada and administrators can change this.').waitFor()
      t.equal(await picker(other).count(), 0)
      t.equal(await other.getByRole('button', { name: 'Transfer…' }).count(), 0)
      t.strictSame(await findBarriers(other, ALL_RULES), [])
      const tabs = other.getByRole('navigation', { name: 'Agent settings' })
      await tabs.getByRole('link', { name: 'Instructions' }).waitFor()
      await other.getByRole('button', { name: 'Actions for Researcher' }).click()
      await other.getByRole('menuitem', { name: 'Restart' }).waitFor()
      t.equal(await other.getByRole('menuitem', { name: 'Delete' }).count(), 0)
      await other.goto('/agents')
      await other.getByRole('list', { name: 'Agents' }).getByText('from ada').waitFor()

      await other.goto(`/agents/${agent.id}`)
      await tabs.getByRole('link', { name: 'Instructions' }).waitFor()
      await server.call('PUT', `/agents/${agent.id}/grants`, [], ada!.token)
      await other.getByText('It was deleted, or is no longer shared with you.').waitFor()
      t.equal(await other.getByRole('alert').count(), 0)
      await other.close()
    },
  )

  await t.test('a chat says that it has ended when an agent is no longer shared', async (t) => {
    await server.call('PUT', `/agents/${agent.id}/grants`, [{ user: 'grace', access: 'use' }], ada!.token)
    const { page: other, faults } = await open('grace', `/chat/${agent.id}`)
    await other.getByRole('textbox', { name: 'Message' }).waitFor()
    await server.call('PUT', `/agents/${agent.id}/grants`, [], ada!.token)
    await other.getByText('It was deleted, or is no longer shared with you.').waitFor()
    t.equal(await other.getByRole('alert').count(), 0)
    t.strictSame(faults, [])
    await other.close()
  })

  await t.test('a prompt is shared from its list, and those who may edit it do so', async (t) => {
    await page.goto('/prompts')
    const list = page.getByRole('list', { name: 'Prompts' })
    const openSheet = async () => {
      await list.getByRole('button', { name: 'Actions for summary' }).click()
      await page.getByRole('menuitem', { name: 'Share…' }).click()
      await whoCanUse(sheet).waitFor()
    }
    await openSheet()
    await choose(page, picker(sheet), 'gra', 'grace')
    await accessOf(sheet, 'grace').selectOption('Can edit')
    t.strictSame(await findBarriers(page, ALL_RULES), [])
    await save(sheet)
    await isClosed()
    t.strictSame(await grantsOf(`/prompts/${prompt.id}`), ['grace, edit'])

    const { page: other } = await open('grace', '/prompts')
    await other.getByRole('list', { name: 'Prompts' }).getByText('from ada').waitFor()
    await other.getByRole('button', { name: 'Actions for summary' }).click()
    t.equal(await other.getByRole('menuitem', { name: 'Delete' }).count(), 0)
    await other.getByRole('menuitem', { name: 'Who can use it' }).click()
    await other.getByRole('dialog').getByText('Only ada and administrators can change this.').waitFor()
    await other.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
    await other.getByRole('button', { name: '/summary' }).click()
    await other.getByRole('dialog').getByLabel('Text').fill('Much shorter.')
    await save(other.getByRole('dialog'))
    await eventually('the text', async () => {
      const { text } = await server.call('GET', `/prompts/${prompt.id}`, undefined, ada!.token)
      return text === 'Much shorter.'
    })
    await other.close()

    await openSheet()
    await choose(page, picker(sheet), 'lin', 'lin')
    await server.call('DELETE', '/users/lin')
    await save(sheet)
    await sheet.getByText('You cannot share with them, or they no longer exist.').waitFor()
    await sheet.getByText('Nothing was saved.').waitFor()
    await sheet.getByRole('button', { name: 'Remove lin' }).click()
    await accessOf(sheet, 'grace').selectOption('Can use')
    await save(sheet)
    await isClosed()
    t.strictSame(await grantsOf(`/prompts/${prompt.id}`), ['grace, use'])
  })

  await t.test('what is for everyone begins with everyone, and can be limited', async (t) => {
    const { id } = await server.call('POST', '/skill-packages', { name: 'Writing' }, ada!.token)
    await page.goto(`/skills/${id}`)
    await page.getByRole('button', { name: 'Share…' }).click()
    t.equal(await accessOf(sheet, 'Everyone on this server').inputValue(), 'use')
    await choose(page, picker(sheet), 'res', 'Research')
    await accessOf(sheet, 'Everyone on this server').selectOption('No access')
    await sheet.getByText('Those who lose access keep the skills that they have copied.').waitFor()
    await save(sheet)
    await isClosed()
    t.strictSame(await grantsOf(`/skill-packages/${id}`), [`${group.id}, use`])
  })

  await t.test('an agent is given to another owner', async (t) => {
    await page.goto(`/agents/${agent.id}/sharing`)
    await page.getByRole('button', { name: 'Transfer…' }).click()
    await choose(page, sheet.getByRole('combobox', { name: 'New owner' }), 'gra', 'grace')
    await sheet.getByText('grace decides about sharing, transfer and deletion.').waitFor()
    await sheet.getByText('You keep “Can edit”.').waitFor()
    t.strictSame(await findBarriers(page, ALL_RULES), [])
    await sheet.getByRole('button', { name: 'Transfer', exact: true }).click()
    await isClosed()
    await page.getByText('Only grace and administrators can change this.').waitFor()
    t.equal((await server.call('GET', `/agents/${agent.id}`, undefined, grace!.token)).is_owner, true)
    t.strictSame(faults, [])
    await page.close()
  })
})

t.test('sharing within groups in a browser', { skip: noChromium }, async (t) => {
  const config = { plugins: { groups: { sharing: 'groups' } } }
  const [server, browser] = await Promise.all([startServer(t, { config }), startChromium(t)])
  const url = await serveConsole(t, server)
  const ada = await server.createUser({ username: 'ada' })
  await server.createUser({ username: 'grace' })
  await server.createUser({ username: 'lin' })
  const { id } = await server.call('POST', '/groups', { name: 'Research' })
  for (const name of ['ada', 'grace']) await server.call('PUT', `/groups/${id}/members/${name}`)
  const agent = await server.call('POST', '/agents', { name: 'Researcher' }, ada.token)
  const { page, faults } = await openConsole(browser, url, {
    path: `/agents/${agent.id}/sharing`,
    username: 'ada',
    password: ada.password,
    viewport: { width: 390, height: 844 },
  })
  await page.getByText('On this server, you can share only with your groups and their members.').waitFor()
  await picker(page).fill('lin')
  await page.getByText('Nobody in your groups matches').first().waitFor()
  await choose(page, picker(page), 'gra', 'grace')
  t.equal(await accessOf(page, 'Everyone on this server').isDisabled(), true)
  t.strictSame(await findBarriers(page, ALL_RULES), [])
  t.strictSame(faults, [])
  await page.close()
})
