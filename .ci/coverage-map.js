import { readdirSync } from 'node:fs'

const kernel = readdirSync('dist/kernel', { recursive: true })
  .filter((file) => file.endsWith('.js'))
  .map((file) => `dist/kernel/${file}`)

/** Every test counts for the kernel's coverage, which must be whole; the plugins' is not measured. */
export default () => kernel
