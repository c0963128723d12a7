import { readdirSync } from 'node:fs'

const kernel = readdirSync('dist/kernel', { recursive: true })
  .filter((file) => file.endsWith('.js'))
  .map((file) => `dist/kernel/${file}`)

/** The kernel's own tests cover it, and must cover the whole of it; nothing else is measured. */
export default (test) => (test.startsWith('dist/tests/kernel/') ? kernel : null)
