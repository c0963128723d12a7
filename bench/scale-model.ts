import { quantile } from './figure.ts'
import { createClock, createCores, createRandom, type Then } from './scale-events.ts'

/** The processor time of each piece of work, in milliseconds, and what it waits for. */
export interface Costs {
  /**
   * `wake` is work that comes to an idle server; `publish` is a text that NATS takes; `foreignTurn` and `foreignText` come
   * from another server; `idle` and `together` are a second of any server, and of one among several.
   */
  server: Record<
    | 'wake'
    | 'turn'
    | 'token'
    | 'text'
    | 'commit'
    | 'publish'
    | 'foreignTurn'
    | 'foreignText'
    | 'idle'
    | 'together',
    number
  >
  engine: Record<'turn' | 'text' | 'commit' | 'idle' | 'together', number>
  nats: Record<'turn' | 'publish' | 'foreignTurn' | 'foreignText', number>
  /** The wait of a commit for the journal. */
  journalMs: number
  /** The wait for the first text of a turn outside of the servers and the database. */
  outsideMs: number
}

/** The work of people, and the machines that do it. */
export interface Load {
  streams: number
  tokensPerSecond: number
  tokensPerTurn: number
  /** Seconds between the end of a turn and the next one. */
  pauseSeconds: number
  /** The share of streams that somebody reads at another server too. */
  readElsewhere: number
  /** Servers, each with one core. */
  servers: number
  /** True if all streams are at the first server. */
  isUneven: boolean
  engineCores: number
  natsCores: number
  /** Returns the milliseconds for which a server holds text back while it has so many streams. */
  paceOf(streams: number): number
}

/** `use` is the work that comes relative to what the cores can do; more than 1 is never done in time. */
export interface Outcome {
  use: Record<'server' | 'engine' | 'nats', number>
  /** The processor time of all servers in a second, in milliseconds. */
  serversMs: number
  firstP50: number
  firstP95: number
  /** Tokens that the servers have read, of all streams. */
  tokensPerSecond: number
  /** The times that servers have begun to work again. */
  wakesPerSecond: number
  commitsPerSecond: number
  textsPerSecond: number
}

/** The time in which the tokens that come to a server are taken together, in milliseconds. */
const SLICE_MS = 2
/** The most texts of one commit. */
const MAX_TEXTS = 1000
const [WARM_MS, MEASURED_MS] = [5000, 5000]
/** The share of a turn's work that is done before its first text. */
const BEFORE_TEXT = 0.5

/** Simulates a load for ten seconds, and measures the second half. */
export function simulate({ server: cost, engine, nats, journalMs, outsideMs }: Costs, load: Load): Outcome {
  const clock = createClock()
  const random = createRandom()
  const isMeasured = () => clock.now() >= WARM_MS
  const database = createCores(load.engineCores, clock)
  const broker = createCores(load.natsCores, clock)
  const parts = Array.from({ length: load.servers }, createPart)
  const turnMs = (load.tokensPerTurn / load.tokensPerSecond) * 1000
  const pauseMs = load.pauseSeconds * 1000
  const firsts: number[] = []
  const counts = { tokens: 0, commits: 0, texts: 0 }
  const others = load.servers - 1

  function createPart() {
    const cores = createCores(1, clock, cost.wake)
    let streams = 0
    /** The streams whose text is due to be written, and when text was last made due. */
    let due = 0
    let dueAt = 0
    let isHolding = false
    let isCommitting = false
    let waiting: { engineMs: number; isText: boolean; then: Then }[] = []

    const commit = () => {
      const dueTexts = Math.min(due, MAX_TEXTS)
      const urgent = waiting
      if (isCommitting || (dueTexts === 0 && urgent.length === 0)) return
      isCommitting = true
      due -= dueTexts
      waiting = []
      const texts = dueTexts + urgent.filter(({ isText }) => isText).length
      if (isMeasured()) {
        counts.commits += 1
        counts.texts += texts
      }
      const engineMs =
        engine.commit + texts * engine.text + urgent.reduce((sum, one) => sum + one.engineMs, 0)
      const show = () => {
        isCommitting = false
        commit()
        const publishedTexts = others > 0 ? texts : 0
        const foreignTexts = publishedTexts * load.readElsewhere
        cores.run((texts * cost.text) / 2 + publishedTexts * cost.publish, () => {
          for (const { then } of urgent) then()
        })
        broker.run(publishedTexts * nats.publish + foreignTexts * nats.foreignText)
        if (foreignTexts > 0) anyOther(part).cores.run(foreignTexts * cost.foreignText)
      }
      cores.run(cost.commit + (texts * cost.text) / 2, () =>
        database.run(engineMs, () => clock.after(journalMs, show)),
      )
    }

    const hold = () => {
      if (isHolding || streams === 0) return
      isHolding = true
      clock.after(load.paceOf(streams), () => {
        isHolding = false
        const textsOfEach = Math.min(1, (load.tokensPerSecond * (clock.now() - dueAt)) / 1000)
        due = Math.min(streams, due + streams * textsOfEach)
        dueAt = clock.now()
        commit()
        hold()
      })
    }

    const takeTokens = () => {
      const tokens = (streams * load.tokensPerSecond * SLICE_MS) / 1000
      cores.runMany(tokens, cost.token, SLICE_MS, () => {
        if (isMeasured()) counts.tokens += tokens
      })
      clock.after(SLICE_MS, takeTokens)
    }
    clock.after(random() * SLICE_MS, takeTokens)

    const write = (engineMs: number, isText: boolean, then: Then) => {
      waiting.push({ engineMs, isText, then })
      commit()
    }

    const end = () => {
      streams -= 1
      const restMs = 1 - BEFORE_TEXT
      cores.run(cost.turn * restMs, () =>
        write(engine.turn * restMs, false, () => {
          // The usage of the turn is written after its end.
          write(0, false, () => {})
          if (others > 0) broker.run(nats.turn + others * nats.foreignTurn)
          for (const other of parts) if (other !== part) other.cores.run(cost.foreignTurn)
          clock.after(pauseMs * (0.5 + random()), begin)
        }),
      )
    }
    const read = (share: number) => {
      streams += 1
      hold()
      clock.after(turnMs * share, end)
    }
    const begin = () => {
      const begunAt = clock.now()
      const show = () => {
        if (isMeasured()) firsts.push(clock.now() - begunAt)
      }
      cores.run(cost.turn * BEFORE_TEXT, () =>
        database.run(engine.turn * BEFORE_TEXT, () =>
          clock.after(outsideMs, () => {
            read(1)
            cores.run(cost.token, () => write(0, true, show))
          }),
        ),
      )
    }
    const part = { cores, begin, read }
    return part
  }

  const anyOther = (part: (typeof parts)[number]) =>
    parts[(parts.indexOf(part) + 1 + Math.floor(random() * others)) % parts.length]!

  for (let stream = 0; stream < load.streams; stream++) {
    const part = parts[load.isUneven ? 0 : stream % parts.length]!
    // Each stream begins at any place of its turn or of the pause behind it.
    const place = random() * (turnMs + pauseMs)
    if (place < turnMs) part.read(1 - place / turnMs)
    else clock.after(place - turnMs, part.begin)
  }
  clock.runUntil(WARM_MS)
  for (const { reset } of [database, broker, ...parts.map(({ cores }) => cores)]) reset()
  clock.runUntil(WARM_MS + MEASURED_MS)

  const seconds = MEASURED_MS / 1000
  const [idleMs, engineIdleMs] = [cost, engine].map(
    ({ idle, together }) => idle + (others > 0 ? together : 0),
  )
  const serverUses = parts.map(({ cores }) => cores.use(MEASURED_MS) + idleMs! / 1000)
  return {
    serversMs: serverUses.reduce((sum, use) => sum + use, 0) * 1000,
    use: {
      server: Math.max(...serverUses),
      engine: database.use(MEASURED_MS) + (engineIdleMs! * load.servers) / load.engineCores / 1000,
      nats: broker.use(MEASURED_MS),
    },
    firstP50: quantile(firsts, 0.5),
    firstP95: quantile(firsts, 0.95),
    tokensPerSecond: counts.tokens / seconds,
    wakesPerSecond: parts.reduce((sum, { cores }) => sum + cores.wakes(), 0) / seconds,
    commitsPerSecond: counts.commits / seconds,
    textsPerSecond: counts.texts / seconds,
  }
}
