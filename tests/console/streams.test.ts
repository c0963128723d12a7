import type { Page } from 'playwright-core'
import t from '../run/file-test.ts'
import { isLong } from '../run/tier.ts'
import { noChromium, startChromium } from '../support/chromium.ts'
import { openConsole, serveConsole } from '../support/console.ts'
import { readDocument } from '../support/readme.ts'
import { chooseFixtures, readFixtures } from '../support/stream-fixtures.ts'
import { NEXT_REPLY, nextQuestion, type PlayedFixture, playAll, startStage } from '../support/stream-stage.ts'

const PARALLEL = 8
const FAILURE = 'Something went wrong'

t.test('streams of vendors on a page', { skip: noChromium }, async (t) => {
  const fixtures = isLong ? readFixtures() : chooseFixtures(readFixtures(), 1)
  const stage = await startStage(t)
  const played = playAll(stage, fixtures, PARALLEL)
  // A page that is open meanwhile would load its lists again with each turn.
  await Promise.allSettled(played)
  const url = await serveConsole(t, stage.server)
  const { page, faults } = await openConsole(await startChromium(t), url)

  for (const [index, { name, shows }] of fixtures.entries())
    await t.test(`${name}: ${shows}`, async (t) => {
      const result = await played[index]!
      await openConversation(page, result)
      const text = await page.locator('main').textContent()
      t.notOk(text?.includes(FAILURE), text ?? 'no text')
      const articles = await page.getByRole('article').allInnerTexts()
      for (const [index, turn] of result.turns.entries()) t.strictSame(findUnseen(turn, articles[index]), [])
      t.strictSame(faults.splice(0), [])
    })
})

/** Opens the conversation of a fixture within the page, as a link of the console does. */
async function openConversation(page: Page, { fixture, agent_id, thread_id }: PlayedFixture): Promise<void> {
  const path = `/chat/${agent_id}/${thread_id}`
  if (fixture.next === false) {
    await page.goto(path)
    await page.getByRole('article').first().waitFor()
    return
  }
  await page.evaluate(`history.pushState({}, '', '${path}'); dispatchEvent(new PopStateEvent('popstate'))`)
  await page.getByRole('main').getByText(nextQuestion(fixture), { exact: true }).waitFor()
  await page.getByRole('article').last().getByText(NEXT_REPLY).waitFor()
}

const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}]+/gu) ?? []

/** The words of the console for the ends of answers, by stop reason. */
const ENDS: Record<string, string> = JSON.parse(readDocument('plugins/reach/console/web/i18n/en/tools.json'))

/** Returns the words of a turn's last reply, of its end, error and notices, that its article does not show. */
function findUnseen({ frames, end }: PlayedFixture['turns'][number], article = ''): string[] {
  const content = frames.filter(({ type }) => type === 'content')
  const lastId = content.at(-1)?.message_id
  const reply = content.map(({ message_id, content }) => (message_id === lastId ? content : '')).join('')
  const notices = frames.flatMap(({ type, message }) => (type === 'notice' ? [message] : []))
  const ending = end.type === 'error' ? end.message : (ENDS[end.stop_reason] ?? '')
  // A word may be split by a thought, and is then shown in two paragraphs.
  const shown = wordsOf(article).join('')
  return [reply, ending, ...notices].flatMap(wordsOf).filter((word) => !shown.includes(word))
}
