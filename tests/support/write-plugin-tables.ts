import { updateTables } from './plugin-tables.ts'

// `npm run docs`.
updateTables()
