import { createHold, eventually } from '../../plugin-api/testing/waiting.ts'
import t from '../run/file-test.ts'
import { ALL_RULES, chooseTheme, findBarriers } from '../support/axe.ts'
import { startChat } from '../support/chat.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { openConsole, serveConsole } from '../support/console.ts'
import { answerAudio, answerJson, startFakeMedia, useMedia } from '../support/fake-media.ts'

const FLAGS = [
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
  '--host-resolver-rules=MAP insecure.test 127.0.0.1',
]

const ANSWER = `# The plan

It is **very** simple, see [the docs](https://example.com/a) [1].

| Day | Task |
|---|---|
| Monday | Buy \`milk\` |

- First, a point.
- Second, _another_ one.

\`\`\`js
const code = 'is not read'
\`\`\`

Done! $5 and a_b_c stay.`

const WORDS = `The plan

It is very simple, see the docs.

Day, Task.

Monday, Buy milk.

First, a point.
Second, another one.

Done! $5 and a_b_c stay.`

t.test('voice in the console', { skip: noChromium }, async (t) => {
  const chat = await startChat(t)
  const { server, fake, agent_id } = chat
  const [media, browser, url] = await Promise.all([
    startFakeMedia(t),
    startChromium(t, FLAGS),
    serveConsole(t, server),
  ])
  const socket = await chat.connect()
  fake.next({ text: ANSWER }, { text: 'Short.' }, { text: '```\nonly code\n```' })
  const { thread_id } = await socket.ask({ text: 'Make a plan' })
  await socket.ask({ thread_id, text: 'Shorter' })
  await socket.ask({ thread_id, text: 'Code' })
  const path = `/chat/${agent_id}/${thread_id}`
  const { page, faults } = await openConsole(browser, url, { path })
  const composer = page.getByRole('textbox', { name: 'Message assistant…' })
  const dictate = page.getByRole('button', { name: 'Dictate' })
  const finish = page.getByRole('button', { name: 'Finish dictation' })
  const cancel = page.getByRole('button', { name: 'Cancel dictation' })
  const timer = page.getByRole('timer')
  const read = page.getByRole('article').getByRole('button', { name: 'Read aloud' })
  const stop = page.getByRole('article').getByRole('button', { name: 'Stop reading' })
  const notice = (words: string | RegExp) => page.getByRole('status').getByText(words)
  const spoken = () =>
    media.requests.flatMap(({ path, fields }) => (path.endsWith('/speech') ? fields.input! : []))

  await t.test('there are no buttons while no models are chosen', async (t) => {
    await page.getByRole('article').getByRole('button', { name: 'Copy' }).first().waitFor()
    t.equal((await dictate.count()) + (await read.count()), 0)
    await useMedia(server, media.url)
    await page.reload()
    await dictate.waitFor()
    await read.first().waitFor()
    t.equal(await read.count(), 2, 'code alone is not read')
  })

  await t.test('a dictation is inserted where the cursor is', async (t) => {
    await composer.fill('Note: !')
    await composer.press('ArrowLeft')
    await dictate.click()
    await timer.getByText('0:01').waitFor()
    t.equal(await finish.getAttribute('aria-pressed'), 'true')
    await finish.click()
    await eventually(
      'the words are inserted',
      async () => (await composer.inputValue()) === 'Note: Good morning. !',
    )
    const { fields } = media.requests.at(-1)!
    t.equal(fields.file.media_type, 'audio/webm')
    t.ok(fields.file.bytes.length > 1000, 'the recording is whole')
    t.equal(fields.model, 'whisper')
    await dictate.waitFor()
    t.equal(await timer.count(), 0)
  })

  await t.test('it works with the keyboard, and is dropped with Escape', async (t) => {
    const count = media.requests.length
    await composer.fill('')
    await dictate.focus()
    await page.keyboard.press('Enter')
    await timer.waitFor()
    t.equal(await page.locator(':focus').getAttribute('aria-label'), 'Finish dictation')
    await page.keyboard.press('Escape')
    await dictate.waitFor()
    t.equal(await page.locator(':focus').getAttribute('aria-label'), 'Dictate')
    await page.keyboard.press('Space')
    await cancel.click()
    await dictate.waitFor()
    t.equal(media.requests.length, count, 'nothing was sent')
    t.equal(await composer.inputValue(), '')
  })

  await t.test('a transcription can be given up', async (t) => {
    const hold = createHold()
    media.answer(async () => {
      await hold.hold
      return undefined
    })
    await dictate.click()
    await timer.waitFor()
    await finish.click()
    await notice('Transcribing…').waitFor()
    t.same(await findBarriers(page, ALL_RULES), [])
    await cancel.click()
    await dictate.waitFor()
    hold.release()
    media.answer(() => undefined)
    await dictate.click()
    await timer.waitFor()
    await finish.click()
    await eventually(
      'only the second one comes',
      async () => (await composer.inputValue()) === 'Good morning. ',
    )
    await composer.fill('')
  })

  await t.test('a dictation ends when the person opens another conversation', async (t) => {
    const count = media.requests.length
    await dictate.click()
    await timer.waitFor()
    await page.getByRole('link', { name: 'New conversation with assistant' }).click()
    await timer.waitFor({ state: 'detached' })
    await dictate.waitFor()
    t.equal(media.requests.length, count)
    await page.goto(path)
  })

  await t.test('whatever prevents a dictation is said in plain words', async (t) => {
    const cases: [name: string, words: string][] = [
      ['NotAllowedError', 'does not let this page use the microphone'],
      ['NotFoundError', 'No microphone was found'],
      ['NotReadableError', 'Another program may be using it'],
    ]
    for (const [name, words] of cases) {
      await page.evaluate(
        `navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('x', '${name}'))`,
      )
      await dictate.click()
      await notice(words).waitFor()
      t.equal(await timer.count(), 0, name)
    }
    await page.reload()
    const answers: [answer: object, words: string][] = [
      [answerJson({ text: '' }), 'No words were recognized'],
      [answerJson({ error: { message: 'wrong key' } }, 401), 'rejected the API key'],
    ]
    for (const [answer, words] of answers) {
      media.answer(() => answer)
      await dictate.click()
      await timer.waitFor()
      await finish.click()
      await notice(words).waitFor()
    }
    media.answer(() => undefined)
    await server.call('PUT', '/models/defaults', { transcription: null })
    await dictate.click()
    await timer.waitFor()
    await finish.click()
    await notice('An administrator can choose one').waitFor()
    await server.call('PUT', '/models/defaults', { transcription: 'studio:whisper' })
    t.equal(await composer.inputValue(), '')
  })

  await t.test('an answer is read without its marks and its code', async (t) => {
    const count = spoken().length
    await read.first().click()
    await stop.waitFor()
    await eventually('it is asked for', () => spoken().length > count)
    await read.nth(1).waitFor()
    t.equal(await stop.count(), 0, 'it ends by itself')
    t.strictSame(spoken().slice(count), [WORDS])
  })

  await t.test('one answer is read at a time, and can be stopped', async (t) => {
    media.answer(({ path }) => (path.endsWith('/speech') ? answerAudio(60) : undefined))
    await read.first().click()
    await stop.waitFor()
    t.equal(await stop.getAttribute('aria-pressed'), 'true')
    await read.click()
    await eventually('the second is asked for', () => spoken().at(-1) === 'Short.')
    await eventually('the first has ended', async () => (await stop.count()) === 1)
    t.equal(await read.count(), 1)
    t.same(await findBarriers(page, ALL_RULES), [])
    await stop.click()
    await read.nth(1).waitFor()
    media.answer(() => undefined)
  })

  await t.test('a long answer is read in pieces of whole sentences', async (t) => {
    const sentence = 'This sentence is here to be long, and has its end. '
    const long = `${sentence.repeat(100)}\n\n${'汉字很长，没有空格。'.repeat(300)}`
    fake.next({ text: long })
    await socket.ask({ thread_id, text: 'Longer' })
    await page.reload()
    await read.nth(2).waitFor()
    const count = spoken().length
    await read.nth(2).click()
    await eventually(
      'all pieces',
      () => spoken().slice(count).join('').replace(/\s/g, '') === long.replace(/\s/g, ''),
    )
    const pieces = spoken().slice(count).map(String)
    t.ok(pieces.length > 2 && pieces[0]!.length <= 500 && pieces.every(({ length }) => length <= 4096))
    t.ok(pieces.every((piece) => /[.。]$/.test(piece)))
    await read.nth(2).waitFor()
  })

  await t.test('a failure is said, and the button is there again', async () => {
    media.answer(() => answerJson({ error: { message: 'wrong key' } }, 401))
    await read.first().click()
    await notice('rejected the API key').waitFor()
    await read.nth(2).waitFor()
    media.answer(() => undefined)
  })

  await t.test('the buttons have no barriers, in both themes', async (t) => {
    await dictate.click()
    await timer.waitFor()
    for (const theme of ['light', 'dark'] as const) {
      await chooseTheme(page, theme)
      t.same(await findBarriers(page, theme === 'light' ? ALL_RULES : ['wcag2aa']), [], theme)
    }
    await cancel.click()
  })

  await t.test('a dictation stops by itself after five minutes, and nothing is lost', async (t) => {
    const { page: other } = await openConsole(browser, url, { path })
    await other.clock.install()
    await other.getByRole('button', { name: 'Dictate' }).click()
    await other.getByRole('timer').waitFor()
    await other.clock.fastForward('05:01')
    await other.getByText('A dictation is at most 5 minutes long').waitFor()
    t.equal(await other.getByRole('timer').textContent(), '5:00')
    await other.getByRole('button', { name: 'Finish dictation' }).click()
    await eventually(
      'the words are inserted',
      async () =>
        (await other.getByRole('textbox', { name: 'Message assistant…' }).inputValue()) === 'Good morning. ',
    )
    await other.close()
  })

  await t.test('at an insecure address the button says what is missing', async () => {
    const insecure = url.replace('127.0.0.1', 'insecure.test')
    const { page: other } = await openConsole(browser, insecure, { path, locale: 'zh-CN' })
    await other.getByRole('button', { name: '语音输入' }).click()
    await other.getByText('浏览器仅允许 https:// 或 localhost 地址使用麦克风。').waitFor()
    await other.close()
  })
  t.strictSame(faults, [])
})
