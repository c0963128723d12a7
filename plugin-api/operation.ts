// For commands that work on the database or the key without the server: backup, restore, rotation, diagnosis.
export { readConfigFile } from '#kernel/config'
export { type Database, openDatabase } from '#kernel/database'
export { assertKnownVersions, WHOLE } from '#kernel/database/migrations'
export { openRuntime } from '#kernel/runtime'
export { listSealedFields, purposeOf, type SealedField } from '#kernel/sealed-fields'
