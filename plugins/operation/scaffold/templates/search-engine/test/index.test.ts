import assert from 'node:assert/strict'
import { testSearchEngine } from 'agent-platform-service/plugin-api/testing'
import plugin from '../src/index.js'

testSearchEngine({
  plugins: [plugin],
  engine: '{{name}}',
  settings: (base_url) => ({ base_url, api_key: 'key-0123456789' }),
  // The API of your engine: how it reads a request, and what it answers.
  read({ method, path, headers, query: { q = '', limit, age } }) {
    assert.deepEqual([method, path], ['GET', '/search'])
    assert.equal(headers.authorization, 'Bearer key-0123456789')
    return { text: q, count: Number(limit), ...(age && { freshness: age }) }
  },
  answer: (results) => ({
    body: {
      hits: results.map(({ title, url, snippet, published_at }) => ({
        title,
        link: url,
        text: snippet,
        date: published_at,
      })),
    },
  }),
})
