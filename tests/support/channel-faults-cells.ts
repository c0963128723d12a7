import assert from 'node:assert/strict'
import type { ShownMessage } from '../../plugin-api/testing/fake-platform.ts'
import type { FaultyChannel } from './channel-faults-bench.ts'
import type { ArmedFault, PlatformCall, Treatment } from './channel-faults-relay.ts'
import { type Action, type Kind, type Refusal, VENDORS } from './channel-faults-vendors.ts'
import { soon } from './channel-faults-waiting.ts'

/** The classes of answers, in the order of the table. */
export const CLASSES = [
  'fine',
  'limited for 1 s',
  'limited',
  '4xx',
  '5xx',
  'reset',
  'silence',
  'half',
] as const
export type AnswerClass = (typeof CLASSES)[number]

/** The actions, in the order of the table. */
export const ACTIONS: readonly Action[] = ['first', 'edit', 'approval', 'file']

/** The span of a fault: one call, or until somebody ends it. */
export type Span = 'once' | 'lasting'

/** A cell of the matrix. */
export interface Cell {
  class: AnswerClass
  action: Action
  span: Span
}

/** The most calls that a message may cost that the platform refuses for a reason which nobody knows. */
const MOST_TRIES = 12

/** Answers of which the platform's part is lost, so that nobody knows if the message has arrived. */
const LOSING: readonly AnswerClass[] = ['reset', 'silence', 'half']

/** A question, with the code of its decision. */
const QUESTION = /approve[^a-z0-9]+([a-z2-9]{6})/

let marks = 0
const nextMark = () => {
  marks += 1
  return `cell${marks}x`
}

const treatmentOf = (kind: Kind, answer: Exclude<AnswerClass, 'fine'>): Treatment =>
  answer === 'reset' || answer === 'silence' || answer === 'half'
    ? answer
    : { answer: VENDORS[kind].refusals[answer satisfies Refusal] }

/** Levels of the log. */
const DEBUG = 20
const INFO = 30

/** A refusal may be met by another form of the message at once, which is no failure to anybody. */
const levelOf = ({ class: answer, span }: Cell) => (answer === '4xx' && span === 'once' ? DEBUG : INFO)

/** A call that is given up while it waits for its answer has not failed yet. A webhook's answer is its status alone. */
const isFailure = (cell: Cell, kind: Kind) => {
  const isWaiting = cell.class === 'silence' || (cell.class === 'half' && kind === 'wecom')
  if (isWaiting && cell.span === 'lasting') return false
  return !(cell.class === 'half' && kind === 'webhook') && !isReplaced(cell, kind)
}

const isReplaced = ({ class: answer, action }: Cell, kind: Kind) =>
  answer === '4xx' && VENDORS[kind].replaced?.includes(action)

/** Tells which calls are the action of a cell. */
function matcherOf(kind: Kind, action: Action, mark: string) {
  const { calls } = VENDORS[kind]
  return (call: PlatformCall) => {
    if (action === 'file') return calls.file(call)
    if (action === 'edit') return calls.edit(call) && call.body.includes(`${mark}b`)
    return call.body.includes(mark)
  }
}

/** Runs a cell; throws if anything about it is not as it should be. */
export async function runCell(channel: FaultyChannel, cell: Cell): Promise<void> {
  const mark = nextMark()
  const since = channel.logPosition()
  const start = { refusal: await channel.lastRefusal(), count: await channel.countRefusals() }
  const fault =
    cell.class === 'fine'
      ? undefined
      : channel.platform.arm({
          matches: matcherOf(channel.kind, cell.action, mark),
          treatment: treatmentOf(channel.kind, cell.class),
          times: cell.span === 'once' ? 1 : Number.POSITIVE_INFINITY,
        })
  try {
    await channel.say(`${cell.action} ${mark}`)
    if (cell.span === 'once' || !fault) {
      await seeOutcome(channel, cell.action, mark)
      assert.equal(fault?.hits ?? 1, 1, 'the fault was met')
      assert.deepEqual(await channel.lastRefusal(), start.refusal, 'what passes is not shown as a refusal')
      assert.equal(await channel.countRefusals(), start.count, 'what passes is not counted as a refusal')
    } else if (cell.class === '4xx') await seeFinalRefusal(channel, cell.action, mark, { fault, start })
    else await endByCommand(channel, cell, fault)
    await seeNextAnswer(channel)
    assertOnce(channel, cell, mark)
    if (fault && isFailure(cell, channel.kind))
      assert.notDeepEqual(channel.complaints(since, levelOf(cell)), [], 'the log says why')
  } finally {
    fault?.lift()
  }
}

/** Waits until the action of a cell is done on the platform. */
async function seeOutcome(channel: FaultyChannel, action: Action, mark: string): Promise<void> {
  switch (action) {
    case 'first':
      await channel.see(`${mark} is answered.`)
      return
    case 'edit':
      await channel.see(`${mark}c ends.`)
      return
    case 'approval': {
      const { text } = await channel.see(mark)
      const [, code] = QUESTION.exec(text) ?? []
      await channel.say(`/approve ${code}`)
      await channel.see(`${mark} is done.`)
      return
    }
    case 'file':
      await channel.see(`${mark}.txt`)
  }
}

/** Waits until a refusal that does not pass is final: it is shown at the channel, and counted. */
async function seeFinalRefusal(
  channel: FaultyChannel,
  action: Action,
  mark: string,
  { fault, start }: { fault: ArmedFault; start: { refusal: unknown; count: number } },
): Promise<void> {
  // A text that cannot be changed any more is sent anew.
  if (action === 'edit') await channel.see(`${mark}c ends.`)
  if (VENDORS[channel.kind].replaced?.includes(action)) return
  const refusal = await soon(`${channel.kind} shows the refusal`, async () => {
    const shown = await channel.lastRefusal()
    return shown && JSON.stringify(shown) !== JSON.stringify(start.refusal) ? shown : undefined
  })
  assert.ok(refusal.detail.length > 10, 'the refusal is in words')
  // A question and a file are refused in their simplest form as well.
  assert.ok((await channel.countRefusals()) > start.count, 'a final refusal is counted')
  assert.ok(fault.hits <= MOST_TRIES, `the call was made ${fault.hits} times`)
}

/** Ends an outage by a command, while it lasts; meanwhile, another conversation of the channel is answered. */
async function endByCommand(channel: FaultyChannel, { action }: Cell, fault: ArmedFault): Promise<void> {
  await soon(`${channel.kind} meets the fault`, () => fault.hits > 0)
  const other = nextMark()
  await channel.say(`plain ${other}`, 'group')
  await channel.see(`${other} is answered.`, 'group')
  if (action !== 'first') return void (await channel.say('/stop'))
  const begun = channel.shown('new conversation').length
  await channel.say('/new')
  await soon(`${channel.kind} begins anew`, () => channel.shown('new conversation').length > begun)
}

/** A message after the fault is answered. */
async function seeNextAnswer(channel: FaultyChannel): Promise<void> {
  const mark = nextMark()
  await channel.say(`plain ${mark}`)
  await channel.see(`${mark} is answered.`)
}

/** No message is on the platform twice, except where the platform cannot know that it is the same one. */
function assertOnce(channel: FaultyChannel, cell: Cell, mark: string): void {
  const most =
    LOSING.includes(cell.class) && VENDORS[channel.kind].unrecognized?.includes(cell.action) ? 2 : 1
  const whole = { first: 'is answered.', edit: 'c ends.', approval: '', file: '.txt' }[cell.action]
  const shown = channel.shown(`${mark}${cell.action === 'first' ? ' ' : ''}${whole}`)
  // Beside the question, its decision and a card with buttons may contain the mark.
  const isQuestion = ({ text, history }: ShownMessage) => QUESTION.test([text, ...history].join('\n'))
  const copies = cell.action === 'approval' ? shown.filter(isQuestion) : shown
  assert.ok(copies.length <= most, `the platform shows the message ${copies.length} times`)
}
