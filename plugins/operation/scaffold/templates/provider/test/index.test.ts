import {
  createFakeCompatible,
  readChatRequest,
  testProviderKind,
} from 'agent-platform-service/plugin-api/testing'
import kind from '../src/index.js'

const api_key = 'sk-0123456789abcdef'

testProviderKind({
  kind,
  api_key,
  model: 'example-model',
  // The fake of the chat-completions API; another API needs a fake of its own, made with `startFakeVendor`.
  startFake: () => createFakeCompatible({ apiKey: api_key, models: ['example-model'] }),
  readRequest: readChatRequest,
})
