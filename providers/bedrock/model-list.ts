import { createJsonErrorResponseHandler, createJsonResponseHandler, getFromApi } from '@ai-sdk/provider-utils'
import { z } from 'zod'
import type { ModelDescription, ProviderConnection } from '#plugin-api'
import { createAuthorizedFetch } from './authorized-fetch.ts'
import { controlURL } from './client.ts'

const MAX_PAGES = 20

const foundationModels = z.object({
  modelSummaries: z.array(
    z.object({
      modelId: z.string(),
      modelName: z.string().nullish(),
      providerName: z.string().nullish(),
      inputModalities: z.array(z.string()).nullish(),
      outputModalities: z.array(z.string()).nullish(),
      responseStreamingSupported: z.boolean().nullish(),
      inferenceTypesSupported: z.array(z.string()).nullish(),
    }),
  ),
})
type FoundationModel = z.infer<typeof foundationModels>['modelSummaries'][number]

const inferenceProfiles = z.object({
  inferenceProfileSummaries: z.array(
    z.object({
      inferenceProfileId: z.string(),
      inferenceProfileName: z.string(),
      models: z.array(z.object({ modelArn: z.string() })),
    }),
  ),
  nextToken: z.string().nullish(),
})

const failure = createJsonErrorResponseHandler({
  errorSchema: z.object({ message: z.string() }),
  errorToMessage: ({ message }) => message,
})

/** The models of the region that can be called at once, and the inference profiles by which the others are called. */
export async function listModels(
  connection: ProviderConnection,
  signal: AbortSignal,
): Promise<ModelDescription[]> {
  const fetch = await createAuthorizedFetch(connection)
  const get = async <Answer>(path: string, schema: z.ZodType<Answer>) =>
    (
      await getFromApi({
        url: controlURL(connection) + path,
        successfulResponseHandler: createJsonResponseHandler(schema),
        failedResponseHandler: failure,
        abortSignal: signal,
        fetch,
      })
    ).value

  const { modelSummaries } = await get('/foundation-models', foundationModels)
  const models = modelSummaries
    .filter((model) => model.inferenceTypesSupported?.includes('ON_DEMAND') && isUsable(model))
    .map((model) => describe(model.modelId, nameOf(model), model))

  const known = new Map(modelSummaries.map((model) => [model.modelId, model]))
  let after = ''
  for (let n = 0; n < MAX_PAGES; n += 1) {
    const page = await get(
      `/inference-profiles?maxResults=1000&type=SYSTEM_DEFINED${after}`,
      inferenceProfiles,
    )
    for (const profile of page.inferenceProfileSummaries) {
      const model = known.get(profile.models[0]?.modelArn.split('/').at(-1) ?? '')
      if (!model || isUsable(model))
        models.push(describe(profile.inferenceProfileId, profile.inferenceProfileName, model))
    }
    if (!page.nextToken) break
    after = `&nextToken=${encodeURIComponent(page.nextToken)}`
  }
  return models
}

const embeds = ({ outputModalities }: FoundationModel) => outputModalities?.includes('EMBEDDING') ?? false

/** Pictures are not drawn here, and what cannot stream, e.g. ranks texts, does not chat. */
const isUsable = (model: FoundationModel) =>
  embeds(model) ||
  (model.responseStreamingSupported !== false && (model.outputModalities?.includes('TEXT') ?? true))

const nameOf = ({ modelId, modelName, providerName }: FoundationModel) =>
  modelName ? `${providerName ?? ''} ${modelName}`.trim() : modelId

const INPUTS = { TEXT: 'text', IMAGE: 'image', SPEECH: 'audio', AUDIO: 'audio' } as const

function describe(id: string, name: string, model: FoundationModel | undefined): ModelDescription {
  const given = model?.inputModalities?.flatMap((modality) => INPUTS[modality as keyof typeof INPUTS] ?? [])
  return {
    id,
    name,
    ...(model && { embedding: embeds(model) }),
    ...(given && given.length > 0 && { input: [...new Set(given)] }),
  }
}
