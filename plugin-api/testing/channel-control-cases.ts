import { assertPart, assertSame } from './assert-part.ts'
import type { ChannelBench } from './channel-bench.ts'
import type { ShownMessage } from './fake-platform.ts'
import type { AddTest } from './test-function.ts'
import { createHold, eventually } from './waiting.ts'

/** Adds the cases of people who steer the agent: approvals, questions, commands, and who may talk to it. */
export async function addControlCases(
  { server, agent_id, can, idOf, start }: ChannelBench,
  add: AddTest,
): Promise<void> {
  await add(
    'a call is approved with a button, or in words, by those who may',
    async () => {
      const { platform, fake, seeMessage } = await start({
        allow_from: ['ann', 'bob'].map(idOf),
        approvers: [idOf('bob')],
      })
      await server.request('PATCH', `/agents/${agent_id}`, { config: { tools_with_approval: ['ls'] } })
      const conversation = can('shared_direct') ? 'direct' : 'group'
      const say = (text: string, sender = 'ann') => platform.say({ text, sender, place: conversation })
      const call = { toolCalls: [{ name: 'ls', arguments: {} }] }
      fake.next(call, { text: 'listed once' }, call, { text: 'listed twice' }, call, { text: 'not listed' })
      const codeOf = ({ text }: ShownMessage) => /approve[^a-z0-9]+([a-z2-9]{6})/.exec(text)![1]!
      await say('list it')
      const asking = { ...(await seeMessage(/approve\W+[a-z2-9]{6}/)) }
      if (can('buttons')) {
        assertSame(asking.buttons.length, 3, 'the number of buttons under the request')
        assertPart(
          await platform.press(asking.id, 'Approve', 'ann'),
          /not allowed/,
          'what ann sees after her press',
        )
        assertPart(
          await platform.press(asking.id, 'Approve', 'bob'),
          /Approved/,
          'what bob sees after his press',
        )
        assertPart(
          await platform.press(asking.id, 'Approve', 'bob'),
          /not waiting/,
          'what bob sees after a second press',
        )
      } else await say(`/approve ${codeOf(asking)}`, 'bob')
      await seeMessage('listed once')
      if (can('settle'))
        await eventually('the buttons are taken off', () =>
          platform
            .shown()
            .some(
              ({ id, text, buttons }) =>
                id === asking.id && buttons.length === 0 && text.includes('Approved'),
            ),
        )
      const codes = new Set([codeOf(asking)])
      const seeNext = () =>
        eventually('the next request', () => {
          const next = platform
            .shown()
            .find((one) => /approve\W+[a-z2-9]{6}/.test(one.text) && !codes.has(codeOf(one)))
          if (next) codes.add(codeOf(next))
          return next
        })
      await say('again')
      const second = await seeNext()
      await say(`/approve ${codeOf(second)}`, 'ann')
      await seeMessage('not allowed')
      await say(`/approve ${codeOf(second)}`, 'bob')
      await seeMessage('listed twice')
      await say('and again')
      await seeNext()
      await say('/reject too often', 'bob')
      await seeMessage('not listed')
      assertPart(JSON.stringify(fake.requests.at(-1)!.body), /too often/, 'the request to the model')
      assertSame(platform.violations, [], 'what the platform did not expect of the bot (violations)')
    },
    'Show the buttons that send gets and pass presses to link.press with the id of the message, the value of the button and the person; let settle change the message. Add buttons or settle to lacks if the platform has none.',
  )

  await add(
    'a question of the agent is answered with a message',
    async () => {
      const { platform, fake, seeMessage } = await start()
      fake.next(
        { toolCalls: [{ name: 'ask_user_question', arguments: { question: 'Red or blue?' } }] },
        { text: 'blue it is' },
      )
      await platform.say({ text: 'paint it' })
      await seeMessage('Red or blue?')
      await platform.say({ text: 'the blue one' })
      await seeMessage('blue it is')
      assertPart(JSON.stringify(fake.requests.at(-1)!.body), /the blue one/, 'the request to the model')
    },
    'Send every text that send gets, and pass every message of a person to link.receive.',
  )

  await add(
    'what runs is stopped at once, and a new conversation begun',
    async () => {
      const { platform, fake, seeMessage, seeRequest, listPrompts, listThreads } = await start()
      const { hold } = createHold()
      fake.next({ text: ['a beginning ', 'and more'], hold, holdAfter: 1 }, { text: 'fresh' })
      await platform.say({ text: 'go on for ever' })
      await seeRequest()
      await platform.say({ text: '/stop' })
      await seeMessage('Stopped.')
      await platform.say({ text: '/stop' })
      await seeMessage('Nothing is running.')
      await platform.say({ text: '/new' })
      await seeMessage('new conversation')
      await platform.say({ text: 'hello again' })
      await seeMessage('fresh')
      assertSame(listPrompts(), ['go on for ever', 'hello again'], 'the questions that reached the model')
      assertSame((await listThreads()).length, 2, 'the number of threads')
      await platform.say({ text: '/help' })
      await seeMessage('/approve')
      await seeMessage(/\bann\b/)
    },
    'Pass commands such as /stop to link.receive as they were written, and let sender.id be the id of the person on the platform.',
  )

  await add(
    'only those who are named are heard',
    async () => {
      const { platform, fake, seeMessage, listPrompts } = await start({ allow_from: [idOf('bob')] })
      fake.next({ text: 'hello bob' })
      await platform.say({ text: 'it is ann', sender: 'ann' })
      await platform.say({ text: 'it is bob', sender: 'bob' })
      await seeMessage('hello bob')
      assertSame(listPrompts(), ['it is bob'], 'the questions that reached the model')
      assertSame(platform.shown().length, 1, 'the number of messages of the bot')
    },
    'Let sender.id of a message be the id of the person on the platform, as in allow_from.',
  )
}
