import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type ChatError, createClient } from '../../client/index.ts'
import type { FakePlatform } from '../../plugin-api/testing/fake-platform.ts'
import { createKnowledgeCalls } from '../plugins/tools/knowledge-calls.ts'
import type { TestServer } from './server.ts'

/** The part of a server that a load uses; requests are repeated while the server or its database is unavailable. */
export type Service = Pick<TestServer, 'url' | 'admin' | 'request'>

/** A kind of work that is done again and again. */
export interface Load {
  /** The work that was done, in the words of the report. */
  done: Record<string, unknown>
  /** Works until it is ended, and finishes what it has begun. */
  run(isEnded: () => boolean): Promise<void>
}

/** The turns after which a conversation is left for a new one. */
const TURNS = 8
/** The turns after which a person connects again: a connection follows every conversation that it has seen. */
const TURNS_OF_CONNECTION = 5 * TURNS
const REPETITION_MS = 500

/** A turn as its reader saw it. */
interface SeenTurn {
  sent: string
  text: string
}

/** A person who talks, decides about a program in every third turn, and remembers everything that was said. */
export function createTalker(
  { url, token, name }: { url: string; token: string; name: string },
  agent_id: string,
): Load & { threads: Map<string, SeenTurn[]> } {
  const threads = new Map<string, SeenTurn[]>()
  const done = { turns: 0, decisions: 0, refused: 0, failed: {} as Record<string, number> }
  const client = createClient({ baseUrl: url, token })
  let chat = client.chat(agent_id)

  /** Takes a turn; a message that is refused while the database is unavailable is sent again under the same id. */
  async function takeTurn(sent: string, thread_id: string | undefined): Promise<string> {
    const client_message_id = randomUUID()
    const turn: SeenTurn = { sent, text: '' }
    let thread = thread_id
    for (let isOver = false; !isOver; )
      try {
        for await (const frame of chat.turn(sent, { client_message_id, ...(thread_id && { thread_id }) })) {
          thread = frame.thread_id
          if (frame.type === 'content') turn.text += frame.content
          if (frame.type !== 'hitl_required') continue
          const decisions = frame.action_requests.map(() => ({ type: 'approve' as const }))
          // A decision that arrived although its reply was lost is refused the second time.
          await persist(() => chat.resume(frame, decisions).catch(ignore('HITL_NOT_PENDING')))
          done.decisions += 1
        }
        isOver = true
      } catch (error) {
        const { code, frame } = error as Partial<ChatError>
        if (frame?.seq === undefined) {
          if (code !== 'DATABASE_UNAVAILABLE') throw error
          done.refused += 1
          await pause(REPETITION_MS)
          continue
        }
        // The turn began and has failed: its server was killed, or a model or the database did not answer.
        isOver = true
        done.failed[code!] = (done.failed[code!] ?? 0) + 1
      }
    done.turns += 1
    threads.set(thread!, [...(threads.get(thread!) ?? []), turn])
    return thread!
  }

  return {
    threads,
    done,
    async run(isEnded) {
      let thread_id: string | undefined
      for (let turn = 0; !isEnded(); turn += 1) {
        if (turn % TURNS === 0) thread_id = undefined
        if (turn % TURNS_OF_CONNECTION === 0) {
          chat.close()
          chat = client.chat(agent_id)
        }
        thread_id = await takeTurn(`${turn % 3 === 2 ? 'run' : 'say'} ${name} ${turn}`, thread_id)
      }
      chat.close()
    },
  }
}

/** People on a messaging platform, of whom one asks the next question when the last one was answered. */
export function createPlatformLoad(platform: FakePlatform): Load & { asked: string[] } {
  const asked: string[] = []
  const done = { messages: 0 }
  return {
    asked,
    done,
    async run(isEnded) {
      for (let n = 1; !isEnded(); n += 1) {
        const shown = platform.shown().length
        asked.push(`say platform ${n}.`)
        await platform.say({ text: asked.at(-1)! })
        await persist(async () => {
          const answer = platform.shown()[shown]
          if (!answer || answer.is_live) throw new Error(`no answer to message ${n}`)
        })
        done.messages += 1
      }
    },
  }
}

/** A librarian who adds documents, finds each, and removes it after some others. */
export function createLibrarian(service: Service): Load {
  const { create, request, search, settled, upload } = createKnowledgeCalls(service)
  const done = { documents: 0, searches: 0, removals: 0 }
  return {
    done,
    async run(isEnded) {
      const base = await create('soak')
      const kept: { id: string; word: string }[] = []
      const find = async (word: string) => {
        done.searches += 1
        return (await search(word, { knowledge_base_ids: [base] })).filter(({ text }) => text.includes(word))
      }
      for (let n = 1; !isEnded(); n += 1) {
        const word = `lighthouse${n}x`
        const file = `page${n}.md`
        const page = `# Page ${n}\n\nThe keeper of ${word} writes down every ship.\n`
        await persist(async () => {
          const { status } = await upload(base, [[file, page]])
          if (status !== 202) throw new Error(`the upload was answered ${status}`)
        })
        const { [file]: document } = await persist(() => settled(base))
        if (document?.status !== 'ready') throw new Error(`${file} is ${JSON.stringify(document)}`)
        done.documents += 1
        await persist(async () => {
          if ((await find(word)).length === 0) throw new Error(`${word} is not found`)
        })
        kept.push({ id: document.id, word })
        if (kept.length <= TURNS) continue
        const removed = kept.shift()!
        const { status } = await request('DELETE', `/${base}/documents/${removed.id}`)
        if (status !== 204 && status !== 404) throw new Error(`the removal was answered ${status}`)
        if ((await find(removed.word)).length > 0)
          throw new Error(`${removed.word} is found after its removal`)
        done.removals += 1
      }
    },
  }
}

/** Somebody who keeps the console open: loads the page and its lists, and follows the events of the account. */
export function createOnlooker({ url, admin, request }: Service, agent_id: string): Load {
  const done = { pages: 0, events: 0 }
  const lists = [
    '/auth/me',
    '/agents',
    `/agents/${agent_id}/threads`,
    '/admin/overview',
    '/usage/summary',
    '/models',
  ]

  async function follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted)
      try {
        const { body } = await fetch(`${url}/api/events`, {
          headers: { authorization: `Bearer ${admin.token}` },
          signal,
        })
        for await (const chunk of body!)
          done.events += Buffer.from(chunk).toString().split('\nevent: ').length
      } catch {
        // The stream ends with its server, and at the end of the test.
        await pause(REPETITION_MS)
      }
  }

  return {
    done,
    async run(isEnded) {
      const end = new AbortController()
      const following = follow(end.signal)
      while (!isEnded()) {
        const page = await persist(() => fetch(url, { headers: { accept: 'text/html' } }))
        await page.text()
        for (const path of lists) {
          const { status } = await request('GET', path)
          if (status !== 200) throw new Error(`${path} was answered ${status}`)
        }
        done.pages += 1
        await pause(REPETITION_MS)
      }
      end.abort()
      await following
    },
  }
}

const PATIENCE_MS = 120_000

/** Repeats an action that fails until it does not; throws its last failure after two minutes. */
export async function persist<Value>(act: () => Promise<Value>): Promise<Value> {
  for (const end = Date.now() + PATIENCE_MS; ; await pause(REPETITION_MS))
    try {
      return await act()
    } catch (error) {
      if (Date.now() > end) throw error
    }
}

const ignore =
  (...codes: string[]) =>
  (error: { code?: string }) => {
    if (!codes.includes(String(error.code))) throw error
  }
