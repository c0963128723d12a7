import { readModelFacts } from '../../providers/openai/model-list.ts'
import t from '../run/file-test.ts'

t.test('The names of models of OpenAI tell which see pictures and call tools', async (t) => {
  const both = { input: ['text', 'image'], tools: true }
  for (const name of [
    'gpt-4o',
    'gpt-4o-mini-2024-07-18',
    'gpt-4.1-nano',
    'gpt-5',
    'gpt-5.1',
    'gpt-6-luna',
    'o1',
    'o3',
    'o4-mini',
  ])
    t.strictSame(readModelFacts(name), both, name)
  t.strictSame(readModelFacts('ft:gpt-4o-mini-2024-07-18:team::1'), both)
  t.strictSame(readModelFacts('o3-mini'), { input: ['text'], tools: true })
  t.strictSame(readModelFacts('gpt-3.5-turbo'), { input: ['text'], tools: true })
  for (const name of ['gpt-4', 'gpt-4-0613', 'o1-mini'])
    t.strictSame(readModelFacts(name), { input: ['text'] }, name)
  for (const name of ['prod', 'gpt-4o-audio-preview', 'text-embedding-3-large', 'gpt-image-1', 'whisper-1'])
    t.strictSame(readModelFacts(name), {}, name)
})
