import type { Page } from 'playwright-core'
import t from '../run/file-test.ts'
import { onlyLong } from '../run/tier.ts'
import { ALL_RULES, chooseTheme, findBarriers } from '../support/axe.ts'
import { createHold, PROVIDER, startChat } from '../support/chat.ts'
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
    await card.getByText(/^Waits until tomorrow \d/).waitFor()
    t.equal(await card.getByRole('button', { name: 'Send decisions' }).isDisabled(), true)
    await card.getByText('Approve', { exact: true }).first().click()
    await card.getByText('Reject', { exact: true }).last().click()
    await card.getByLabel('Feedback for the agent').fill('Not this one')
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

  /** The last thing that the model was sent: here the outputs of its calls. */
  const lastSent = () => JSON.stringify(fake.requests.at(-1)!.body.messages.at(-1))
  const field = page.getByRole('textbox', { name: 'Message assistant…' })
  const question = page.getByRole('region', { name: 'Question' })

  /** Waits until a request takes keys, which its hints show. */
  const hintsOf = (key: string) =>
    page.locator('kbd:not([data-off=true], [data-on=false])', { hasText: new RegExp(`^${key}$`) })
  const keysWork = (key: string) => hintsOf(key).first().waitFor()
  const run = (...words: string[]) => ({ name: 'execute', arguments: { command: 'echo', args: words } })
  const approval = page.getByRole('region', { name: 'Needs your approval' })

  await t.test('an option of a question is chosen by one press or by its number', async (t) => {
    await begin()
    const ask = {
      name: 'ask_user_question',
      arguments: { question: 'Which **year**?', options: ['2024', '2025'] },
    }
    fake.next({ toolCalls: [ask] }, { text: 'Noted.' }, { toolCalls: [ask] }, { text: 'Again.' })
    await say('Ask me')
    await question.locator('strong', { hasText: 'year' }).waitFor()
    t.equal(await page.getByRole('region', { name: 'Needs your approval' }).count(), 0)
    t.equal(await question.getByText('1. 2024').count(), 0, 'the options are buttons alone')
    await question.getByRole('button', { name: '2025' }).click()
    await see('Noted.')
    t.match(lastSent(), /2025/)
    await question.getByText('2025', { exact: true }).waitFor()
    t.equal(await question.getByRole('button').count(), 0)

    await say('Ask me again')
    await question.getByRole('button', { name: '2024' }).waitFor()
    await keysWork('1')
    await page.keyboard.press('1')
    await see('Again.')
    t.match(lastSent(), /2024/)
    t.equal(await field.inputValue(), '')
    t.strictSame(faults, [])
  })

  await t.test(
    'several options are chosen where the question says so, and other words are possible',
    async (t) => {
      await begin()
      const ask = {
        name: 'ask_user_question',
        arguments: { question: 'Which days?', options: ['Monday', 'Tuesday', 'Friday'], multiple: true },
      }
      fake.next({ toolCalls: [ask] }, { text: 'Two days.' }, { toolCalls: [ask] }, { text: 'No day.' })
      await say('When?')
      await question.getByRole('button', { name: 'Friday' }).click()
      await keysWork('1')
      await page.keyboard.press('1')
      await page.keyboard.press('2')
      await page.keyboard.press('2')
      t.equal(await question.getByRole('button', { pressed: true }).count(), 2)
      await page.keyboard.press('Enter')
      await see('Two days.')
      t.match(lastSent(), /Monday\\nFriday/)

      await say('And then?')
      await question.getByRole('button', { name: 'Monday' }).waitFor()
      await say('1st of May')
      await see('No day.')
      t.match(lastSent(), /1st of May/)
      t.strictSame(faults, [])
    },
  )

  await t.test('A, E and R decide while the composer is empty, and not while one types', async (t) => {
    await begin()
    fake.next(
      { toolCalls: [run('first')] },
      { toolCalls: [run('second')] },
      { toolCalls: [run('third')] },
      { text: 'All done.' },
    )
    await say('Run three')
    await approval.getByText('echo first').waitFor()
    await field.fill('An')
    await field.press('a')
    t.equal(await field.inputValue(), 'Ana', 'what is typed stays text')
    t.equal(await hintsOf('A').count(), 0, 'the hint says that the key is not one')
    await field.fill('')
    await keysWork('A')
    await field.press('Control+a')
    await field.press('Shift+A')
    t.equal(await field.inputValue(), 'A', 'no decision with another key down')
    await field.fill('')
    await field.dispatchEvent('keydown', { key: 'a', isComposing: true })
    await approval.getByText('echo first').waitFor()
    await field.press('a')
    await approval.getByText('echo second').waitFor()
    t.equal(await field.inputValue(), '')
    await keysWork('E')
    await field.press('e')
    await approval.getByLabel('args').fill('changed')
    await approval.getByRole('button', { name: 'Approve with changes' }).click()
    await approval.getByText('echo third').waitFor()
    await keysWork('R')
    await field.press('r')
    await approval.getByLabel('Feedback for the agent').fill('Not that')
    await page.keyboard.press('Enter')
    await see('All done.')
    t.match(lastSent(), /Not that/)
    t.strictSame(faults, [])
  })

  await t.test('keys decide a batch in its order, and Enter sends it', async (t) => {
    await begin()
    fake.next({ toolCalls: [run('one'), run('two')] }, { text: 'Both decided.' })
    await say('Run two')
    await see('2 actions need your approval')
    await keysWork('A')
    await field.press('a')
    await see('1 undecided')
    await field.press('r')
    await keysWork('↵')
    await field.press('Enter')
    await see('Both decided.')
    t.match(JSON.stringify(fake.requests.at(-1)!.body.messages.slice(-2)), /one\\n.*rejected/s)
    t.strictSame(faults, [])
  })

  await t.test('conversations of equal names that wait are one bar and a list', async (t) => {
    for (let count = 0; count < 2; count += 1) {
      await begin()
      fake.next({ toolCalls: [run('x')] })
      await say('Same name')
      await approval.waitFor()
    }
    await begin()
    const bars = page.getByRole('main').getByRole('link', { name: '“Same name” is waiting for you' })
    await bars.waitFor()
    t.equal(await bars.count(), 1)
    await page.getByRole('button', { name: '1 more' }).click()
    await page.getByRole('menuitem', { name: /^Same name.*assistant/ }).click()
    for (const link of [undefined, bars]) {
      await link?.click()
      await approval.waitFor()
      fake.next({ text: 'Left.' })
      await keysWork('A')
      await field.press('a')
      await see('Left.')
    }
    t.equal(await bars.count(), 0)
    t.strictSame(faults, [])
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

  await t.test('Up takes the last waiting message back into the composer, with its files', async (t) => {
    await begin()
    const hold = createHold()
    fake.next({ text: ['Long ', 'answer'], holdAfter: 1, hold: hold.hold })
    await say('First of them')
    await see('Long')
    await page
      .locator('main input[type=file]')
      .setInputFiles({ name: 'list.txt', mimeType: 'text/plain', buffer: Buffer.from('1') })
    await page.getByRole('button', { name: 'Remove list.txt' }).waitFor()
    await say('To correct')
    await see('Queued (1)')
    await field.press('ArrowUp')
    await page.getByText('Queued (1)').waitFor({ state: 'detached' })
    t.equal(await field.inputValue(), 'To correct')
    await page.getByRole('button', { name: 'Remove list.txt' }).waitFor()
    await field.fill('')
    await page.getByRole('button', { name: 'Remove list.txt' }).click()
    hold.release()
    await see('Long answer')
    t.strictSame(faults, [])
  })

  await t.test('a long text that is pasted can be attached as a file', async (t) => {
    await begin()
    await field.fill('Summarize: ')
    const words = 'long text '.repeat(500)
    await page.evaluate(`
      const data = new DataTransfer()
      data.setData('text/plain', ${JSON.stringify(words)})
      document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }))
      document.execCommand('insertText', false, ${JSON.stringify(words)})`)
    await page.getByRole('button', { name: 'Attach the pasted text as a file (5,000 characters)' }).click()
    await page.getByRole('button', { name: 'Remove pasted.txt' }).waitFor()
    t.equal(await field.inputValue(), 'Summarize: ')
    await page.getByRole('button', { name: 'Remove pasted.txt' }).click()
    await field.fill('')
    t.strictSame(faults, [])
  })

  await t.test('a failed turn says why, and is tried again', async (t) => {
    await begin()
    fake.next({ status: 401, error: { message: 'no such key' } }, { text: 'Now it works.' })
    await say('Try this')
    const alert = page.getByRole('article').getByRole('alert')
    await alert.getByText(/rejected the API key/).waitFor()
    t.match(await alert.getByRole('link').getAttribute('href'), `/models?provider=${PROVIDER.name}`)
    await page.getByRole('button', { name: 'Try again' }).click()
    await see('Now it works.')
    const questions = page.getByRole('region', { name: 'Messages' }).getByText('Try this', { exact: true })
    t.equal(await questions.locator('visible=true').count(), 1, 'the new answer takes the place of the error')
  })

  await t.test('people who cannot change a provider are led to their administrator', async (t) => {
    await server.request('PATCH', `/agents/${chat.agent_id}`, { body: { is_shared: true } })
    const guests = await Promise.all(
      [{ locale: 'en-US' }, { locale: 'zh-CN' }].map(async ({ locale }, index) => {
        const account = await server.createUser({ username: `guest-${index}` })
        return openConsole(browser, url, { ...account, locale, path: `/chat/${chat.agent_id}` })
      }),
    )
    const words = [
      /refused the key of this server. Tell your administrator./,
      /拒绝了本服务器的密钥，请告知管理员。/,
    ]
    for (const [index, { page: guest, faults }] of guests.entries()) {
      fake.next({ status: 401, error: { message: 'no such key' } })
      await guest.locator('textarea[name=message]').fill('Try this')
      await guest.keyboard.press('Enter')
      const alert = guest.getByRole('article').getByRole('alert')
      await alert.getByText(words[index]!).waitFor()
      t.equal(await alert.getByRole('link').count(), 0)
      await guest.close()
      t.strictSame(faults, [])
    }
    await server.request('PATCH', `/agents/${chat.agent_id}`, { body: { is_shared: false } })
  })

  await t.test('the link of a failure opens its provider', async (t) => {
    await page.goto(`/models?provider=${PROVIDER.name}`)
    const sheet = page.getByRole('dialog', { name: `Provider ${PROVIDER.name}` })
    await sheet.getByLabel('API key').waitFor()
    await page.waitForURL((at) => at.search === '')
    await page.goto(`/chat/${chat.agent_id}`)
    await page.getByRole('textbox', { name: 'Message assistant…' }).waitFor()
    t.strictSame(faults, [])
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
    const mark = page.locator('sup').getByRole('link', { name: 'The almanac' })
    t.equal(await mark.getAttribute('href'), 'https://almanac.test/')
    await see('a[1]')
    t.equal(await page.locator('sup').getByRole('link').count(), 1)
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
