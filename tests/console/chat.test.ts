import type { Page } from 'playwright-core'
import t from '../run/file-test.ts'
import { onlyLong } from '../run/tier.ts'
import { ALL_RULES, chooseTheme, findBarriers } from '../support/axe.ts'
import { createHold, startChat } from '../support/chat.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { openConsole, serveConsole } from '../support/console.ts'
import { pluginSource } from '../support/kernel.ts'

/** A tool that names a source. */
const LIBRARY = pluginSource(
  'library',
  `host.extend('agents.tools', { name: 'look_up', label: { en: 'Look up', zh: '查阅' }, description: 'Finds a page.',
     input_schema: { type: 'object' }, disableable: true,
     execute: (_, { cite }) => { cite({ id: 'a', title: 'The almanac', url: 'https://almanac.test/' }); return 'Page 7' } })`,
  "depends: ['agents'],",
)

t.test('a chat in a browser', { skip: noChromium }, async (t) => {
  const chat = await startChat(t, { plugins: { library: LIBRARY } })
  const { fake, server } = chat
  await server.request('PATCH', `/agents/${chat.agent_id}/tool-settings/look_up`, { body: { enabled: true } })
  const browser = await startChromium(t)
  const url = await serveConsole(t, server)
  const { page, faults } = await openConsole(browser, url, { path: `/chat/${chat.agent_id}` })

  const say = async (text: string, on: Page = page) => {
    await on.getByRole('textbox', { name: 'Message assistant…' }).fill(text)
    await on.keyboard.press('Enter')
  }
  const see = (text: string | RegExp, on: Page = page) => on.getByText(text).first().waitFor()
  const begin = () => page.getByRole('link', { name: 'New conversation with assistant' }).click()
  const threadOf = (on: Page) => on.url().split('/').at(-1)!

  await t.test('a message begins a conversation, whose reply streams as Markdown', async (t) => {
    const hold = createHold()
    fake.next({
      text: [
        '# Re',
        'port\n\nAll is ',
        '**well**.\n\n```python\nx = 1\n```\n\n',
        '<b>raw</b> [a link](https://example.com/x)',
      ],
      holdAfter: 2,
      hold: hold.hold,
    })
    await say('What is new?')
    await page.getByRole('heading', { name: 'Report' }).waitFor()
    await see('Working')
    t.match(page.url(), /\/chat\/\w+\/thr_\w+$/)
    await page.getByRole('button', { name: 'Stop' }).waitFor()
    hold.release()
    await page.locator('strong', { hasText: 'well' }).waitFor()
    await see('<b>raw</b>')
    await page.getByRole('link', { name: 'What is new?' }).waitFor()
    t.equal(await page.locator('article b').count(), 0, 'HTML of a model is text')

    await page.getByRole('link', { name: 'a link' }).click()
    await page.getByRole('dialog').getByText('https://example.com/x').waitFor()
    const open = page.getByRole('dialog').getByRole('link', { name: 'Open' })
    t.equal(await open.getAttribute('rel'), 'noreferrer noopener')
    await page.keyboard.press('Escape')

    await page.goto('/chat')
    await page.getByRole('textbox', { name: 'Message assistant…' }).waitFor()
    t.strictSame(faults, [])
  })

  await t.test('a reload and another tab in the middle of a reply see all of it', async (t) => {
    await begin()
    const hold = createHold()
    fake.next({ text: ['one ', 'two ', 'three ', 'four'], holdAfter: 2, hold: hold.hold })
    await say('Count')
    await see('one two')
    const thread_id = threadOf(page)
    await page.reload()
    await see('one two')
    const { page: other } = await openConsole(browser, url, { path: new URL(page.url()).pathname })
    await see('one two', other)
    hold.release()
    await see('one two three four')
    await see('one two three four', other)

    fake.next({ text: 'Yes.' })
    await say('Is that all?', other)
    await see('Is that all?')
    await see('Yes.')
    await other.close()

    const { messages } = await chat.history(thread_id)
    t.equal(await page.getByRole('article').count(), messages.length / 2)
    t.strictSame(faults, [])
  })

  await t.test('tools fold into a line when the turn ends, and unfold to what they did', async (t) => {
    await begin()
    fake.next(
      {
        reasoning: ['I should write.'],
        toolCalls: [
          { name: 'write_todos', arguments: { todos: [{ content: 'Write it', status: 'in_progress' }] } },
          { name: 'write_file', arguments: { path: 'report.md', content: '# All is well' } },
        ],
      },
      { text: 'Written.', usage: { prompt_tokens: 1000, completion_tokens: 234 } },
    )
    await say('Write a report')
    await see('Written.')
    await page.getByRole('button', { name: /^2 steps .*tokens/ }).click()
    await page.getByRole('button', { name: 'Write report.md' }).click()
    await see('# All is well')
    await see(/bytes were written/)
    await page.getByRole('button', { name: 'Update the plan' }).click()
    await page.getByRole('listitem').filter({ hasText: 'Write it' }).waitFor()
    t.strictSame(faults, [])
  })

  await t.test('an approval is edited, and others of a batch are decided one by one', async (t) => {
    await begin()
    fake.next(
      { toolCalls: [{ name: 'execute', arguments: { command: 'echo', args: ['first'] } }] },
      {
        toolCalls: [
          { name: 'execute', arguments: { command: 'echo', args: ['second'] } },
          { name: 'execute', arguments: { command: 'echo', args: ['third'] } },
        ],
      },
      { text: 'Decided.' },
    )
    await say('Run programs')
    const card = page.getByRole('region', { name: 'Needs your approval' })
    await card.getByText('echo first').waitFor()
    await see('Waiting for you')

    const elsewhere = page.getByRole('link', { name: '“Run programs” is waiting for you' })
    await begin()
    await elsewhere.click()

    await card.getByRole('button', { name: 'Edit' }).click()
    await card.getByLabel('args').fill('changed')
    await card.getByRole('button', { name: 'Approve with changes' }).click()
    await see('2 actions need your approval')
    t.equal(await card.getByRole('button', { name: 'Send decisions' }).isDisabled(), true)
    await card.getByText('Approve', { exact: true }).first().click()
    await card.getByText('Reject', { exact: true }).last().click()
    await card.getByLabel('Reason for the agent').fill('Not this one')
    await card.getByRole('button', { name: 'Send decisions' }).click()
    await see('Decided.')

    const { messages } = await chat.history(threadOf(page))
    const outputs = messages
      .flatMap(({ content }: { content: { type: string; output?: string }[] }) => content)
      .filter(({ type }: { type: string }) => type === 'tool_result')
      .map(({ output }: { output: string }) => output)
    for (const output of [/^changed/, /^second/, /Not this one/])
      t.ok(
        outputs.some((text: string) => output.test(text)),
        String(output),
      )
    t.strictSame(faults, [])
  })

  await t.test('a question is answered in the composer', async (t) => {
    await begin()
    fake.next(
      { toolCalls: [{ name: 'ask_user_question', arguments: { question: 'Which year?' } }] },
      { text: 'Thank you.' },
    )
    await say('Ask me')
    await page.getByPlaceholder('Which year?').waitFor()
    await say('2025')
    await see('Thank you.')
    t.match(JSON.stringify(fake.requests.at(-1)!.body.messages.at(-1)), /2025/)
  })

  await t.test('a message that waits is taken back, and another one runs after the first', async (t) => {
    await begin()
    const hold = createHold()
    fake.next({ text: ['Long ', 'answer'], holdAfter: 1, hold: hold.hold }, { text: 'The third.' })
    await say('First')
    await see('Long')
    await say('Second')
    await see('Queued (1)')
    await say('Third')
    await see('Queued (2)')
    await page.getByRole('button', { name: 'Cancel' }).first().click()
    await page.getByText('Second').waitFor({ state: 'detached' })
    hold.release()
    await see('The third.')
    t.strictSame(faults, [])
  })

  await t.test('a failed turn says why, and is tried again', async (t) => {
    await begin()
    fake.next({ status: 401, error: { message: 'no such key' } }, { text: 'Now it works.' })
    await say('Try this')
    await page.getByRole('article').getByRole('alert').waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await see('Now it works.')
    t.equal((await page.getByText('Try this', { exact: true }).locator('visible=true').count()) >= 2, true)
  })

  await t.test('a file is attached, sent and shown in the panel', async (t) => {
    await begin()
    await page.locator('main input[type=file]').setInputFiles({
      name: 'sales.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('region,amount\nNorth,"1,204"\n'),
    })
    await page.getByRole('button', { name: /^Remove sales/ }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: /^Remove sales/ }).waitFor()
    fake.next({ text: 'A table.' })
    await say('What is this?')
    await see('A table.')
    await page.getByRole('button', { name: /^sales.*csv/ }).click()
    await page
      .getByRole('complementary', { name: 'Files and sources' })
      .getByRole('cell', { name: '1,204' })
      .waitFor()
    await page
      .getByRole('complementary', { name: 'Files and sources' })
      .getByRole('button', { name: 'Close' })
      .click()
    t.strictSame(faults, [])
  })

  await t.test('a conversation is forked, renamed, found by the palette and deleted', async (t) => {
    const previousUrl = page.url()
    await page.getByRole('button', { name: 'Continue in a new conversation' }).click()
    await page.waitForURL((to) => to.href !== previousUrl)
    await page.getByRole('button', { name: 'Conversation menu' }).click()
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Quarterly numbers')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Quarterly numbers' }).waitFor()

    await begin()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('quarterly')
    await page.getByRole('option', { name: /Quarterly numbers/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Quarterly numbers' }).waitFor()

    await page.getByRole('button', { name: 'Conversation menu' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('link', { name: 'Quarterly numbers' }).waitFor({ state: 'detached' })
    t.strictSame(faults, [])
  })

  await t.test('numbers in an answer lead to its sources', async (t) => {
    await begin()
    fake.next(
      { toolCalls: [{ name: 'look_up', arguments: {} }] },
      { text: 'Seven [1], not `a[1]` and not [2].' },
    )
    await say('Look it up')
    await page.getByRole('link', { name: 'The almanac' }).click()
    await page.getByRole('dialog').getByText('https://almanac.test/').waitFor()
    await page.keyboard.press('Escape')
    await see('a[1]')
    t.equal(await page.getByRole('article').getByRole('link').count(), 1)
    t.strictSame(faults, [])
  })

  await t.test('keys move between messages, open actions and pick files', async (t) => {
    await begin()
    fake.next({ text: 'One.' }, { text: 'Two.' })
    await say('First')
    await see('One.')
    await say('Second')
    await see('Two.')
    const field = page.getByRole('textbox', { name: 'Message assistant…' })
    const focused = () => page.evaluate<string>('document.activeElement.textContent')
    await field.blur()
    await page.keyboard.press('k')
    t.match(await focused(), /^Second/)
    await page.keyboard.press('k')
    t.match(await focused(), /^First/)
    await page.keyboard.press('j')
    t.match(await focused(), /^Second/)

    await field.fill('/fil')
    await page.getByRole('option', { name: 'Files and sources' }).waitFor()
    await page.keyboard.press('Enter')
    const panel = page.getByRole('complementary', { name: 'Files and sources' })
    await panel.waitFor()
    t.equal(await field.inputValue(), '')
    await field.press('Escape')
    await panel.waitFor({ state: 'detached' })

    const path = encodeURIComponent('plans/summer.md')
    await server.request('PUT', `/agents/${chat.agent_id}/files/content?path=${path}`, {
      body: Buffer.from('# Summer'),
    })
    await field.fill('Read @summ')
    await page.getByRole('option', { name: 'plans/summer.md' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove summer.md' }).waitFor()
    t.equal(await field.inputValue(), 'Read ')
    const hold = createHold()
    fake.next({ text: ['It says ', 'more'], holdAfter: 1, hold: hold.hold })
    await field.fill('Read it')
    await page.keyboard.press('Enter')
    await see('It says')
    await field.press('Escape')
    await page.getByText('Stopped', { exact: true }).waitFor()
    hold.release()
    t.strictSame(faults, [])
  })

  await t.test(
    'tabs share one stream of events, which another one continues',
    { skip: onlyLong },
    async (t) => {
      const { page: first } = await openConsole(browser, url, { path: `/chat/${chat.agent_id}` })
      // A stream of the page before would be taken for that of this one.
      await first.goto('about:blank')
      const begun = first.waitForResponse('**/api/events')
      await first.goto(`/chat/${chat.agent_id}`)
      await begun
      const opened = first.waitForEvent('popup')
      const streams: string[] = []
      first.context().on('request', (request) => {
        if (request.url().endsWith('/api/events')) streams.push(request.frame().page() === first ? '1' : '2')
      })
      await first.evaluate(`void open('/usage')`)
      const second = await opened
      const rename = async (title: string) => {
        const thread_id = await chat.createThread()
        await chat.threads('PATCH', `/${thread_id}`, { body: { title } })
      }
      const link = (on: Page, name: string) => on.getByRole('link', { name }).waitFor()
      await second.getByRole('link', { name: 'Account' }).waitFor()
      await rename('For both')
      await Promise.all([link(first, 'For both'), link(second, 'For both')])
      t.strictSame(streams, [])
      const taken = second.waitForRequest('**/api/events')
      await first.goto('about:blank')
      t.ok((await taken).headers()['last-event-id'], 'nothing is missed in between')
      await rename('For the second')
      await link(second, 'For the second')
      await first.close()
    },
  )

  await t.test('the chat is accessible in both themes and fits a phone', { skip: onlyLong }, async (t) => {
    fake.next(
      {
        reasoning: ['I should look.'],
        toolCalls: [
          { name: 'look_up', arguments: {} },
          { name: 'write_file', arguments: { path: 'report.md', content: '# Done' } },
        ],
      },
      { text: '# Title\n\nSeven [1].\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```python\nx = "1"  # one\n```' },
      { status: 401, error: { message: 'no such key' } },
      { toolCalls: [{ name: 'execute', arguments: { command: 'echo', args: ['hello'] } }] },
    )
    const views: Record<string, () => Promise<unknown>> = {
      welcome: begin,
      reply: async () => {
        await say('Show all')
        await page.getByRole('heading', { name: 'Title' }).waitFor()
        await page.getByRole('button', { name: /^2 steps/ }).click()
        await page.getByRole('button', { name: 'Write report.md' }).click()
      },
      failure: async () => {
        await say('Fail')
        await page.getByRole('article').getByRole('alert').first().waitFor()
      },
      approval: async () => {
        await say('Run')
        await page.getByRole('region', { name: 'Needs your approval' }).waitFor()
      },
      panel: () => page.getByRole('button', { name: 'Files and sources' }).click(),
      suggestions: () => page.getByRole('textbox', { name: 'Message assistant…' }).fill('/'),
    }
    for (const [name, show] of Object.entries(views)) {
      await show()
      t.strictSame(await findBarriers(page, ALL_RULES), [], name)
      await chooseTheme(page, 'dark')
      t.strictSame(await findBarriers(page, ['color-contrast']), [], `${name} in the dark theme`)
      await chooseTheme(page, 'light')
    }
    await page.setViewportSize({ width: 390, height: 844 })
    t.strictSame(await findBarriers(page, ALL_RULES), [], 'on a phone')
    t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), 'it fits')
    await page.setViewportSize({ width: 1440, height: 900 })
    t.strictSame(faults, [])
  })

  await t.test(
    'a change is shown that comes while a list is read for the first time',
    { skip: onlyLong },
    async (t) => {
      const { page: late } = await openConsole(browser, url, { path: '/usage' })
      const thread_id = await chat.createThread()
      const { id } = (await server.request('GET', '/auth/me')).body
      await late.addInitScript(
        `new BroadcastChannel('svc.events.${id}').onmessage = ({ data: { event } }) => {
        if (event) document.documentElement.dataset.told += ' ' + event.type
      }`,
      )
      const notified = (type: string) =>
        late.locator(`html[data-told~="${type}"]`).waitFor({ state: 'attached' })
      const listed = late.getByRole('link', { name: 'Told meanwhile' })
      await late.route(
        '**/threads?*',
        async (route) => {
          const old = await route.fetch()
          await notified('reset')
          await chat.threads('PATCH', `/${thread_id}`, { body: { title: 'Told meanwhile' } })
          await notified('thread.changed')
          await route.fulfill({ response: old })
        },
        { times: 1 },
      )
      await late.reload()
      await listed.waitFor()
      t.equal(await listed.count(), 1)
      await late.close()
    },
  )

  await t.test('a restarted server ends the turn with its reason, and the page goes on', async (t) => {
    await begin()
    fake.next({ text: 'Before.' })
    await say('Hello')
    await see('Before.')
    await server.restart()
    fake.next({ text: 'After.' })
    await say('And now?')
    await see('After.')
    await see('Before.')
    // The browser itself reports connections that were refused meanwhile.
    t.strictSame(
      faults.filter((fault) => !fault.startsWith('WebSocket connection')),
      [],
    )
  })
})
