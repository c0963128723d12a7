/**
 * The fault matrix: what happens on each platform when it answers an action in each way. A cell is a kind, an action
 * (the first message of an answer, a change of a live message, the question of an approval, a file), a class of answers,
 * and a span: the platform answers so `once`, or for as long as the cell runs (`lasting`).
 *
 * Each cell has a relay between the server and a fake of the platform, which recognizes the calls of the action and
 * answers them in the vendor's form; all other calls pass. `tests/support/channel-faults-vendors.ts` has the table of
 * the calls and the forms. Where the answer is lost (reset, silence, half), the platform has carried out the first call.
 *
 * - `once`: the action is done all the same, and nothing is counted as a refusal.
 * - `lasting`: a 4xx that nobody knows becomes final after a few tries, is shown at the channel and counted. All others
 *   are repeated; meanwhile a group on the same platform is answered, until `/stop`, or `/new` for the first message,
 *   ends them.
 * - Always: the next message of the conversation is answered, no message is on the platform twice, and the log has a
 *   word about it. Vendors that cannot recognize a repeated message (`unrecognized` in the table) may show one that was
 *   lost twice, and not more often.
 *
 * The long tier runs all cells. `npm test` runs one action of each kind in each class, either once or lasting, so that
 * each kind and each class meets each action, and ends silence by a command, as the time limits of a silent platform are
 * long. The kinds run side by side. If cells fail, the whole table is printed: `✓` as it should be, `✗` not so, `·` not
 * run, because it is of the long tier or because two cells before it failed; then the reasons.
 */
import t from '../../run/file-test.ts'
import { amount, isLong } from '../../run/tier.ts'
import { type FaultyChannel, startFaultyChannels } from '../../support/channel-faults-bench.ts'
import {
  ACTIONS,
  type AnswerClass,
  type Cell,
  CLASSES,
  runCell,
  type Span,
} from '../../support/channel-faults-cells.ts'
import { KINDS, type Kind } from '../../support/channel-faults-vendors.ts'

/** The number of servers, which share the classes. */
const SERVERS = amount({ short: 2, long: 4 })
/** A channel in which so many cells fail in a row is left: its conversation is stuck. */
const MOST_FAILURES = 2

const spansOf = (answer: AnswerClass): readonly Span[] => {
  if (answer === 'fine') return ['once']
  return answer === 'silence' && !isLong ? ['lasting'] : ['once', 'lasting']
}

/** Lists the cells of a kind in a class. Live messages come last, as they need another mode of answers. */
function cellsOf(kind: Kind, answer: AnswerClass): Cell[] {
  const turn = KINDS.indexOf(kind) + CLASSES.indexOf(answer)
  const spans = spansOf(answer)
  if (!isLong) {
    const action = ACTIONS[turn % ACTIONS.length]!
    return [{ class: answer, action, span: spans[Math.floor(turn / ACTIONS.length) % spans.length]! }]
  }
  const actions = ['first', 'approval', 'file', 'edit'] as const
  return actions.flatMap((action) => spans.map((span) => ({ class: answer, action, span })))
}

const nameOf = (kind: Kind, { class: answer, action, span }: Cell) => `${kind}, ${action}, ${answer}, ${span}`

/** The outcomes of the cells that were run, by name: empty if all is as it should be, else the reason. */
const outcomes = new Map<string, string>()

async function runCells(channel: FaultyChannel, cells: readonly Cell[]): Promise<void> {
  let failures = 0
  for (const cell of cells) {
    if (failures >= MOST_FAILURES) return
    const name = nameOf(channel.kind, cell)
    try {
      await channel.setLive(cell.action === 'edit')
      await runCell(channel, cell)
      outcomes.set(name, '')
      failures = 0
    } catch (error) {
      outcomes.set(name, (error as Error).message)
      failures += 1
    }
  }
}

function drawTable(): string {
  const markOf = (name: string) => ({ undefined: '·', '': '✓' })[String(outcomes.get(name))] ?? '✗'
  const rows = KINDS.flatMap((kind) =>
    ACTIONS.map((action) =>
      [
        `${kind} ${action}`.padEnd(18),
        ...CLASSES.map((answer) =>
          spansOf(answer)
            .map((span) => markOf(nameOf(kind, { class: answer, action, span })))
            .join('')
            .padEnd(answer.length),
        ),
      ].join(' | '),
    ),
  )
  const reasons = [...outcomes].flatMap(([name, reason]) => (reason ? [`${name}: ${reason}`] : []))
  return [[''.padEnd(18), ...CLASSES].join(' | '), ...rows, '', ...reasons].join('\n')
}

t.test('a platform answers in every way', async (t) => {
  const servers = Array.from({ length: SERVERS }, async (_, index) => {
    const classes = CLASSES.filter((_, position) => position % SERVERS === index)
    const channels = await startFaultyChannels(t, KINDS)
    await Promise.all(
      channels.map((channel) =>
        runCells(
          channel,
          classes.flatMap((answer) => cellsOf(channel.kind, answer)),
        ),
      ),
    )
    return channels
  })
  const channels = (await Promise.all(servers)).flat()
  const expected = KINDS.flatMap((kind) => CLASSES.flatMap((answer) => cellsOf(kind, answer)))
  const passed = [...outcomes.values()].filter((reason) => reason === '').length
  t.equal(passed, expected.length, 'every cell is as it should be')
  if (passed < expected.length) process.stderr.write(`${drawTable()}\n`)
  // Many servers in one process are slower than a platform allows.
  const complaints = channels.flatMap(({ platform }) => platform.violations)
  t.same(
    complaints.filter((complaint) => !complaint.includes('within three seconds')),
    [],
    'the platforms have nothing to complain of',
  )
})
