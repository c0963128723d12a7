import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { assertPart, assertSame } from './assert-part.ts'
import type { ChannelBench } from './channel-bench.ts'
import type { AddTest } from './test-function.ts'
import { createHold, eventually } from './waiting.ts'

/** Adds the cases of messages and their answers: order, redelivery, long answers, groups and files. */
export async function addMessageCases(
  { kind, server, agent_id, can, start }: ChannelBench,
  add: AddTest,
): Promise<void> {
  await add(
    'a message is answered, once, however often it comes',
    async () => {
      const { platform, fake, seeMessage, seeRequest, listPrompts, listThreads } = await start()
      const { hold, release } = createHold()
      fake.next({ text: 'the first answer', hold }, { text: 'the second answer' })
      const id = await platform.say({ text: 'a first question' })
      if (can('redelivery')) await platform.redeliver(id)
      await seeRequest()
      if (can('redelivery')) await platform.redeliver(id)
      if (can('typing'))
        await eventually('people see that it is being answered', () => platform.typings() > 0)
      release()
      await seeMessage('the first answer')
      if (can('redelivery')) await platform.redeliver(id)
      await platform.say({ text: 'a second question' })
      await seeMessage('the second answer')
      assertSame(
        listPrompts(),
        ['a first question', 'a second question'],
        'the questions that reached the model',
      )
      assertSame(
        platform
          .shown()
          .filter(({ text }) => text.includes('answer'))
          .map(({ text }) => text),
        ['the first answer', 'the second answer'],
        'the messages with an answer',
      )
      assertPart(await listThreads(), [{ channel_type: kind }], 'the threads')
      assertSame(platform.violations, [], 'what the platform did not expect of the bot (violations)')
    },
    'Pass each message to link.receive once it has come, with its id on the platform, and send with the target and the key of send.',
  )

  await add(
    'messages of one conversation are answered in their order',
    async () => {
      const { platform, fake, seeMessage, seeRequest, listPrompts } = await start()
      const { hold, release } = createHold()
      fake.next({ text: 'answer zero', hold }, { text: 'answer one' }, { text: 'answer two' })
      await platform.say({ text: 'question zero' })
      await seeRequest()
      const now = Date.now()
      if (can('sent_at')) {
        await platform.say({ text: 'question two', sent_at: now + 5000 })
        await platform.say({ text: 'question one', sent_at: now })
      } else {
        await platform.say({ text: 'question one' })
        await platform.say({ text: 'question two' })
      }
      release()
      await seeMessage('answer two')
      assertSame(
        listPrompts(),
        ['question zero', 'question one', 'question two'],
        'the questions that reached the model',
      )
    },
    'Pass each message to link.receive with its sent_at in Unix milliseconds, as the platform says it; add sent_at to lacks if it does not say it.',
  )

  await add(
    'a long answer is shown while it is written, and whole in the end',
    async () => {
      const { platform, fake } = await start({ response_mode: 'stream' })
      const words = Array.from({ length: 600 }, (_, index) => `word${index} `)
      const pieces = Array.from(
        { length: 60 },
        (_, index) => `${words.slice(index * 10, index * 10 + 10).join('')}${index % 3 === 2 ? '\n\n' : ''}`,
      )
      fake.next({ text: pieces, delayMs: 50 })
      await platform.say({ text: 'tell me much' })
      await eventually('the last word of a long answer is in a message that is finished', () =>
        platform.shown('direct').some(({ text, is_live }) => !is_live && text.includes('word599')),
      )
      const shown = platform.shown('direct')
      const shownParts = shown.flatMap(({ text }) =>
        [...text.matchAll(/word(\d+)/g)].map(([, index]) => Number(index)),
      )
      const lostWord = words.findIndex((_, index) => shownParts[index] !== index)
      assert.equal(
        lostWord,
        -1,
        `the answer must be shown once and whole, but it has ${shownParts.length} of ${words.length} words and is wrong from word ${lostWord}`,
      )
      if (can('live'))
        assert.ok(
          shown.some(({ history }) => history.length > 0),
          'people must see the answer grow, but it came at once',
        )
      assert.ok(!shown.some(({ is_live }) => is_live), 'no message may stay unfinished, but one does')
      assertSame(platform.violations, [], 'what the platform did not expect of the bot (violations)')
    },
    'Let capabilities say max_length and length_unit of the platform, and let live of the connection change one message until end; add live to lacks if the platform cannot.',
  )

  await add(
    'in a group the agent answers who mentions it',
    async () => {
      const { platform, fake, seeMessage, listPrompts } = await start()
      fake.next({ text: 'a group answer' })
      if (can('unmentioned'))
        await platform.say({ text: 'we meet at noon', place: 'group', sender: 'bob', mention: false })
      await platform.say({ text: 'when do we meet?', place: 'group' })
      await seeMessage('a group answer', 'group')
      const [question, ...others] = listPrompts()
      assertPart(question ?? '', /when do we meet\?$/, 'the question that reached the model')
      if (can('unmentioned'))
        assertPart(question ?? '', /bob: we meet at noon/, 'what was said before, in the question')
      assertSame(others, [], 'the other questions')
      assertSame(platform.shown('direct'), [], 'the messages in the direct conversation')
    },
    "Pass messages of groups to link.receive with conversation.type 'group', mentioned true for those that mention the bot, and the text without the mention; add unmentioned to lacks if the platform delivers no others.",
  )

  if (can('files_in'))
    await add(
      'a file that somebody sends is in the workspace',
      async () => {
        const { platform, fake, seeMessage } = await start()
        fake.next({ text: 'I have it' })
        const bytes = Buffer.from(`a note ${'ü'.repeat(5000)}`)
        await platform.say({
          text: 'look at this',
          file: { filename: 'note.txt', media_type: 'text/plain', bytes },
        })
        await seeMessage('I have it')
        const { path } = await eventually('the file', async () => {
          const { body } = await server.request('GET', `/agents/${agent_id}/threads`)
          const { body: history } = await server.request(
            'GET',
            `/agents/${agent_id}/threads/${body[0].thread_id}/history`,
          )
          return history.messages[0].content.find(({ type }: { type: string }) => type === 'file')
        })
        const { agents } = server.server.runtime.cradleOf('agents') as unknown as {
          agents: { workspaceOf(id: string): string }
        }
        assert.ok(
          readFileSync(join(agents.workspaceOf(agent_id), path)).equals(bytes),
          `the file ${path} must have the bytes that were sent, but has others`,
        )
      },
      'Name the file in files of the message, and let download of the connection return its bytes; add files_in to lacks if the platform delivers no files.',
    )
}
