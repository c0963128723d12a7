// MongoDB runs this once, on an empty volume: the server's own account, for its database and that of restore drills.
const { readFileSync } = require('node:fs')

const address = new URL(readFileSync('/run/secrets/database-url', 'utf8').trim())
const name = address.pathname.slice(1)
db.getSiblingDB(name).createUser({
  user: decodeURIComponent(address.username),
  pwd: decodeURIComponent(address.password),
  roles: [name, `${name}_drill`].map((db) => ({ role: 'readWrite', db })),
})
