import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { defineProviderKind } from 'agent-platform-service/plugin-api'

export default defineProviderKind({
  kind: '{{name}}',
  label: { en: '{{name}}', zh: '{{name}}' },
  config_schema: { type: 'object', properties: {}, additionalProperties: false },
  default_base_url: 'https://api.example.com/v1',
  languageModel: ({ base_url: baseURL = '', api_key: apiKey, fetch }, id) =>
    createOpenAICompatible({ name: '{{name}}', baseURL, apiKey, fetch, includeUsage: true })(id),
  async listModels({ base_url: url, api_key: key, fetch }, signal) {
    const answer = await fetch(`${url}/models`, { headers: { authorization: `Bearer ${key}` }, signal })
    if (!answer.ok) throw Object.assign(new Error(await answer.text()), { status: answer.status })
    return JSON.parse(await answer.text()).data.map(({ id }: { id: string }) => ({ id, name: id }))
  },
})
