// The entry of this package: the rest of the plugin imports nothing else of the folder. README.md explains it.
export { createSender } from './calls.ts'
export { splitMarkdown } from './cutter.ts'
export { type Failure, toFailure } from './failure.ts'
export { splitWords } from './plain-words.ts'
export { hasVisible, isVisible, render } from './rendering.ts'
export { createReplyWriter } from './reply-writer.ts'
