import { AppError, createSemaphore } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import { sortByCloseness } from './passages/closeness.ts'
import { choosePlace } from './passages/place-choice.ts'
import { joinPlaces, type Place } from './passages/places.ts'
import { toQuestionWords } from './passages/words.ts'
import type { FoundPassage } from './store/passage-rows.ts'
import type { BaseDocument, IndexDescription, KnowledgeDocument } from './types.ts'

/** The words of a question that count. */
const MAX_WORDS = 200
/** The passages that are looked at for each one that is wanted. */
const CANDIDATES = 4
const MIN_CANDIDATES = 60
/**
 * The weight of ranks when lists are joined: the larger it is, the less the first ranks count for more. With the usual
 * 60, a passage in the middle of two lists of this length would come before the first of either.
 */
const RANK_OFFSET = 4
/** The best passages of joined lists that are also compared by how close together they have the question's words. */
const COMPARED = 40
/** The searches in the index at a time: more take more memory and are not faster, as LanceDB uses all cores. */
const AT_ONCE = 4
/** The most neighbouring passages that are shown as one. */
const MAX_MERGED = 3

/** A passage that was found, with its document. */
export interface Hit {
  document: KnowledgeDocument
  /** The place in the passage that fits the question best. */
  locator: Place
  /** The first character of the passage in the text of the document. */
  start: number
  text: string
  places: readonly Place[]
  score: number
}

/** A question, and where answers are looked for. */
interface Question {
  query: string
  bases: readonly BaseDocument[]
  limit: number
  /** Whose question it is. */
  user_id: string
  signal: AbortSignal
}

/** A passage with its score among the passages for one question. */
interface RankedPassage extends FoundPassage {
  score: number
}

/** Finds passages in knowledge bases. */
export type Search = ReturnType<typeof createSearch>

/** Creates the search. */
export function createSearch({
  documents,
  embedder,
  log,
  passageIndex,
  settings,
}: Pick<Cradle, 'documents' | 'embedder' | 'log' | 'passageIndex' | 'settings'>) {
  const searches = createSemaphore()

  /**
   * Returns the vector of a question; undefined if its index has none, or if it cannot be had now: words still answer.
   */
  const embed = async (index: IndexDescription, { query, user_id, signal }: Question) => {
    try {
      const text = `${index.question_prefix ?? ''}${query}`
      return (await embedder.embed(index, [text], { user_id, signal }))?.[0]
    } catch (error) {
      signal.throwIfAborted()
      log.warn({ error }, 'a question could not be embedded')
      return undefined
    }
  }

  /** Returns the passages of an index, the best one first. */
  const look = async (
    index: IndexDescription,
    question: Question,
    words: readonly string[],
  ): Promise<RankedPassage[]> => {
    const limit = Math.max(question.limit * CANDIDATES, MIN_CANDIDATES)
    const scope = { base_ids: question.bases.map(({ _id }) => _id), limit }
    const vector = await embed(index, question)
    const find = async () => {
      const byWords =
        words.length > 0 ? passageIndex.findByWords(index, { words: words.join(' '), ...scope }) : []
      const byVector = vector ? passageIndex.findByVector(index, { vector, ...scope }) : []
      const lists = await Promise.all([byWords, byVector])
      const rows = [...joinByRank(lists).keys()].slice(0, limit)
      return { lists, rows, passages: await passageIndex.read(index, rows) }
    }
    return searches.run(AT_ONCE, question.signal, async () => {
      let result = await find()
      // A tidying may have moved rows after they were found.
      if (result.passages.length < result.rows.length) result = await find()
      return rankAgain(result.passages, result.lists, words)
    })
  }

  /** Drops what is outdated: passages of removed or replaced documents, and repetitions. */
  const verify = async (
    index: IndexDescription,
    passages: RankedPassage[],
    bases: readonly BaseDocument[],
  ) => {
    const ids = [...new Set(passages.map(({ document_id }) => document_id))]
    const documentsById = new Map((await documents.findAll(ids)).map((document) => [document._id, document]))
    const readable = new Set(bases.map(({ _id }) => _id))
    const keys = new Set<string>()
    return passages.flatMap((passage) => {
      const document = documentsById.get(passage.document_id)
      const key = `${passage.document_id} ${passage.ordinal}`
      const counts =
        document && document.indexes[index.id]?.run === passage.run && readable.has(document.base_id)
      if (!counts || keys.has(key)) return []
      keys.add(key)
      return [{ passage, document }]
    })
  }

  const findIn = async (index: IndexDescription, question: Question): Promise<Hit[]> => {
    const words = toQuestionWords(question.query).slice(0, MAX_WORDS)
    const verified = await verify(index, await look(index, question, words), question.bases)
    return mergeNeighbours(verified)
      .slice(0, question.limit)
      .map((cluster) => toHit(cluster, words))
  }

  return {
    /** Returns the best passages, at most `limit`. Throws KNOWLEDGE_INDEX_UNAVAILABLE and KNOWLEDGE_NOT_INSTALLED. */
    async find(question: Question): Promise<Hit[]> {
      if (question.bases.length === 0) return []
      const { active } = await settings.recent()
      let hits: Hit[] | undefined
      try {
        hits = await findIn(active, question)
      } catch (error) {
        question.signal.throwIfAborted()
        log.info({ error }, 'a search in knowledge bases failed; retrying')
      }
      // Another process may have replaced the index within the last second, or removed files that were being read.
      const { active: current } = hits && hits.length > 0 ? await settings.recent() : await settings.read()
      if (!hits || current.id !== active.id) return findIn(current, question)
      return hits
    },
  }
}

/**
 * Ranks passages by what words and what vectors have found. The order by closeness counts as a third list, since
 * neither of them tells a passage that has the question's words in one sentence from one that has them far apart. A
 * single list keeps its order.
 */
function rankAgain(
  passages: readonly FoundPassage[],
  lists: readonly bigint[][],
  words: readonly string[],
): RankedPassage[] {
  const isSingle = lists.some((list) => list.length === 0)
  const closest = isSingle ? [] : sortByCloseness(passages.slice(0, COMPARED), words)
  const scores = joinByRank([...lists, closest.map(({ row }) => row)])
  const ranked = passages.map((passage) => ({ ...passage, score: scores.get(passage.row)! }))
  return ranked.sort((a, b) => b.score - a.score)
}

/** Joins lists of rows by reciprocal rank; returns the score of each row, the best one first. */
function joinByRank(lists: readonly bigint[][]): Map<bigint, number> {
  const scores = new Map<bigint, number>()
  for (const list of lists)
    for (const [rank, row] of list.entries())
      scores.set(row, (scores.get(row) ?? 0) + 1 / (RANK_OFFSET + rank + 1))
  return new Map([...scores].sort(([, a], [, b]) => b - a))
}

/** A run of neighbours that are shown as one; the best of them comes first. */
interface Cluster {
  document: KnowledgeDocument
  passages: RankedPassage[]
}

/** Joins passages that follow one another in their document, so that what belongs together is read together. */
function mergeNeighbours(
  ranked: readonly { passage: RankedPassage; document: KnowledgeDocument }[],
): Cluster[] {
  const clusters: Cluster[] = []
  for (const { passage, document } of ranked) {
    const neighbour = clusters.find(
      ({ passages }) =>
        passages[0]!.document_id === passage.document_id &&
        passages.length < MAX_MERGED &&
        passages.some(({ ordinal }) => Math.abs(ordinal - passage.ordinal) === 1),
    )
    if (neighbour) neighbour.passages.push(passage)
    else clusters.push({ document, passages: [passage] })
  }
  return clusters
}

/** Joins the texts of neighbours, and chooses the place that fits the words of the question. */
function toHit({ document, passages }: Cluster, words: readonly string[]): Hit {
  const [best] = passages
  const [first, ...others] = [...passages].sort((a, b) => a.ordinal - b.ordinal)
  const { start } = first!
  let { text, end } = first!
  for (const next of others) {
    // Between two passages, a text has a blank line at most.
    text +=
      next.start >= end ? '\n\n'.slice(0, next.start - end) + next.text : next.text.slice(end - next.start)
    end = next.end
  }
  const places = joinPlaces([first!, ...others].flatMap((passage) => passage.places))
  const locator = choosePlace({ text, start, places, words, likely: best! })
  return { document, locator, start, text, places, score: best!.score }
}

/** Makes the vectors of texts; the account that uploads or asks pays for them. */
export type Embedder = ReturnType<typeof createEmbedder>

/** Creates the embedder. */
export function createEmbedder({ embeddings, users }: Pick<Cradle, 'embeddings' | 'users'>) {
  return {
    /**
     * Returns the vectors of texts for an index; undefined if it has none. Throws EMBEDDING_FAILED and the like,
     * TOKEN_QUOTA_EXCEEDED or BUDGET_EXCEEDED unless the payer is unlimited, and EMBEDDING_DIMENSIONS_CHANGED if the vectors have another
     * length than the index.
     */
    async embed(
      {
        embedding_model,
        dimensions: expected,
      }: Pick<IndexDescription, 'embedding_model'> & Partial<Pick<IndexDescription, 'dimensions'>>,
      texts: readonly string[],
      { user_id, signal, isUnlimited }: { user_id: string; signal: AbortSignal; isUnlimited?: boolean },
    ): Promise<number[][] | undefined> {
      if (embedding_model === null) return undefined
      const user = isUnlimited ? null : await users.find(user_id)
      const vectors = await embeddings.embed(embedding_model, texts, {
        user_id,
        token_quota: user?.token_quota ?? null,
        budget: user?.budget ?? null,
        timezone: user?.timezone ?? null,
        signal,
      })
      const wrong = expected && vectors.find(({ length }) => length !== expected)
      if (wrong) throw new AppError('EMBEDDING_DIMENSIONS_CHANGED', { expected, received: wrong.length })
      return vectors
    },
  }
}
