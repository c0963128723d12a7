import t from '../../run/file-test.ts'
import { amount, chooseSeed } from '../../run/tier.ts'
import { type SeenTurn, startChat } from '../../support/chat.ts'
import { createRandom } from '../../support/random.ts'

/** The number of steps; a change to how messages are read or removed deserves more. */
const STEPS = amount({ short: 12, long: 1000 })
const MOST_THREADS = 12
const seed = chooseSeed(17)

const random = createRandom(seed)
const below = (bound: number) => Math.floor(random() * bound)
const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)]!

const chat = await startChat(t)
const { server, fake, threads, createThread, history } = chat
let socket = await chat.connect()

/** A message that a thread must show; replies can be counted from the end, and all answers can be named. */
interface Shown {
  id: string
  kind: 'question' | 'call' | 'result' | 'reply'
}
/** The messages that every thread must show, oldest first: a fork is a copy here. */
const model = new Map<string, Shown[]>()

/** The messages that a turn adds, according to its frames. */
function messagesOf({ frames }: SeenTurn): Shown[] {
  const messages = new Map<string, Shown>()
  const see = (id: string, kind: Shown['kind']) => messages.set(id, { id, kind })
  for (const { type, message_id } of frames) {
    if (type === 'turn_started') see(message_id, 'question')
    if (type === 'content' && !messages.has(message_id)) see(message_id, 'reply')
    if (type === 'tool_call') see(message_id, 'call')
    if (type === 'tool_result') see(message_id, 'result')
  }
  return [...messages.values()]
}

const say = async (thread_id: string) => {
  const call = { name: 'ls', arguments: {} }
  const calls = Array.from({ length: below(3) }, () => ({
    text: 'look',
    toolCalls: [call, call].slice(below(2)),
  }))
  fake.next(...calls, { text: 'so it is' })
  model.get(thread_id)!.push(...messagesOf(await socket.ask({ thread_id, text: 'how is it?' })))
}

const fork = async (thread_id: string) => {
  const messages = model.get(thread_id)!
  const replies = messages.filter(({ kind }) => kind === 'reply')
  const answers = messages.filter(({ kind }) => kind === 'reply' || kind === 'call')
  const isCounted = replies.length > 0 && random() < 0.5
  const place = 1 + below(replies.length)
  const chosen = isCounted ? replies.at(-place)! : pick(answers)
  const end = messages.findIndex(({ kind }, index) => index > messages.indexOf(chosen) && kind !== 'result')
  const kept = end === -1 ? messages.slice() : messages.slice(0, end)
  const body = isCounted ? { assistant_turns_from_end: place } : { message_id: chosen.id }
  const reply = await threads('POST', `/${thread_id}/fork`, { body })
  if (reply.status !== 201 || reply.body.copied_messages !== kept.length)
    throw new Error(`${JSON.stringify(reply.body)}, where ${kept.length} messages are to be shown`)
  model.set(reply.body.thread_id, kept)
}

const remove = async (thread_id: string) => {
  const { status } = await threads('DELETE', `/${thread_id}`)
  if (status !== 204) throw new Error(`a thread could not be deleted: ${status}`)
  model.delete(thread_id)
}

/** Reads a thread from its end in pages of any size, each by a cursor or an offset. */
async function read(thread_id: string): Promise<string[]> {
  const ids: string[] = []
  for (let cursor = ''; ; ) {
    const limit = 1 + below(9)
    const place = cursor && random() < 0.5 ? `cursor=${cursor}` : `offset=${ids.length}`
    const page = await history(thread_id, `?limit=${limit}&${place}`)
    ids.unshift(...page.messages.map(({ id }: { id: string }) => id))
    if (!page.has_more) return ids
    if (page.messages.length !== limit) throw new Error('a page that is not the last is not full')
    cursor = page.next_cursor
  }
}

t.test(
  `After any forks, turns and deletions, every thread shows what a copy would, seed ${seed}`,
  async (t) => {
    const done = { begun: 0, said: 0, forked: 0, deleted: 0 }
    for (let step = 0; step < STEPS; step += 1) {
      const ids = [...model.keys()]
      const chance = random()
      if (ids.length === 0 || chance < 0.05) {
        const thread_id = await createThread()
        model.set(thread_id, [])
        await say(thread_id)
        done.begun += 1
      } else if (ids.length >= MOST_THREADS || chance < 0.25) {
        await remove(pick(ids))
        done.deleted += 1
      } else if (chance < 0.6) {
        await fork(pick(ids))
        done.forked += 1
      } else {
        await say(pick(ids))
        done.said += 1
      }
      if (step === STEPS >> 1) {
        await server.restart()
        socket = await chat.connect()
      }
      for (const thread_id of model.size > 0 ? [pick([...model.keys()])] : [])
        t.strictSame(
          await read(thread_id),
          model.get(thread_id)!.map(({ id }) => id),
          `step ${step}`,
        )
    }
    t.comment(done)
    for (const [thread_id, shown] of model)
      t.strictSame(
        await read(thread_id),
        shown.map(({ id }) => id),
        'in the end',
      )
    while (model.size > 0) await remove(pick([...model.keys()]))
    for (const name of ['threads', 'messages', 'events', 'client_messages'])
      t.equal(await server.db.collection(name).countDocuments(), 0, `nothing is left of ${name}`)
  },
)
