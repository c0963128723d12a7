// The entry of this package: the rest of the plugin imports nothing else of the folder. README.md explains it.
export { createSender } from './calls.ts'
export { splitMarkdown } from './cutter.ts'
export { type Failure, toFailure } from './failure.ts'
export { hasVisible, isVisible, render } from './rendering.ts'
export { splitWords } from './reply-messages.ts'
export { createReplyWriter } from './reply-writer.ts'
