import { type ModelKind, makeSilence, type ProviderConnection, type ProviderKind } from '#plugin-api'
import { explainFailure } from './explained-failure.ts'
import { invalidResult, type ResultProblem, readAudio, readRanking, readTranscript } from './media-results.ts'
import { readReport } from './upstream-report.ts'

const MAX_OUTPUT_TOKENS = 16

/** Sends the smallest request to a model; rejects if it does not answer. */
type Probing = (
  kind: ProviderKind,
  connection: ProviderConnection,
  id: string,
  signal: AbortSignal,
) => Promise<unknown>

/** Waits for the first part of an answer and cancels the rest. */
const ask: Probing = async (kind, connection, id, abortSignal) => {
  const model = await kind.languageModel!(connection, id)
  try {
    const { stream } = await model.doStream({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'Reply with OK.' }] }],
      maxOutputTokens: MAX_OUTPUT_TOKENS,
      abortSignal,
    })
    for await (const part of stream) {
      if (part.type === 'error') throw part.error
      if (part.type === 'text-delta' || part.type === 'reasoning-delta' || part.type === 'finish') break
    }
  } catch (error) {
    // Some models report an error if they reach the limit while thinking; that error proves that they answer.
    const isAnswer = /(max_tokens|limit) was reached/i.test(readReport(error).message)
    if (!isAnswer || explainFailure(error, kind).reason !== 'bad_request') throw error
  }
}

const embed: Probing = async (kind, connection, id, abortSignal) => {
  const model = await kind.embeddingModel!(connection, id)
  await model.doEmbed({ values: ['OK'], abortSignal })
}

const speak: Probing = async (kind, connection, id, abortSignal) => {
  const model = await kind.speechModel!(connection, id)
  const { audio } = await model.doGenerate({ text: 'OK', outputFormat: 'mp3', abortSignal })
  readAudio(audio, refusalOf(id))
}

const transcribe: Probing = async (kind, connection, id, abortSignal) => {
  const model = await kind.transcriptionModel!(connection, id)
  const audio = makeSilence()
  readTranscript(await model.doGenerate({ audio, mediaType: 'audio/wav', abortSignal }), refusalOf(id))
}

const rerank: Probing = async (kind, connection, id, abortSignal) => {
  const model = await kind.rerankingModel!(connection, id)
  const values = ['OK', 'no']
  const { ranking } = await model.doRerank({ query: 'OK', documents: { type: 'text', values }, abortSignal })
  readRanking(ranking, values.length, refusalOf(id))
}

const refusalOf = (id: string) => (problem: ResultProblem) => invalidResult(id, problem)

/** The tests of models by their kind. A picture costs too much for a test. */
export const PROBINGS: Readonly<Record<Exclude<ModelKind, 'image'>, Probing>> = {
  chat: ask,
  embedding: embed,
  speech: speak,
  transcription: transcribe,
  rerank,
}
