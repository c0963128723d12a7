import type { Locale } from '#plugin-api'

/** The phrases of the demonstration model; quotes are blocks, so that they cannot be mistaken for its own words. */
interface Phrases {
  help: string
  echo(question: string): string
  thought(question: string): string
  calling(tool: string): string
  notOffered(tool: string): string
  result(tool: string, output: string): string
}

const block = (text: string) => text.replace(/^/gm, '> ')
const fence = (text: string) => ['~~~', text, '~~~'].join('\n')

/** The phrases by language. */
export const phrases: Record<Locale, Phrases> = {
  en: {
    help: [
      'I am a **demo model**: I run offline and answer by fixed rules. No AI is involved.',
      '',
      'What I can show you:',
      '- `ls` or “list files”: calls the tool `ls`',
      '- “write a file notes.txt saying …”: calls the tool `write_file`',
      '- “read notes.txt”: calls the tool `read_file`',
      '- “think about …”: shows reasoning before the answer',
      '- anything else: I repeat it',
      '',
      'To talk to a real model, open the **Models** page, add a provider with its key, and choose a model.',
    ].join('\n'),
    echo: (question) =>
      [
        'I am a **demo model**, not an AI: no real provider is set up yet. You wrote:',
        '',
        block(question || '(nothing)'),
        '',
        'To get real answers, open the **Models** page, add a provider with its key, and choose a model. Say `help` to see what I can show.',
      ].join('\n'),
    thought: (question) =>
      `A real model would think about “${question}” here. I only show where its reasoning appears.`,
    calling: (tool) => `I am calling the tool \`${tool}\`.`,
    notOffered: (tool) =>
      `That would need the tool \`${tool}\`, which this agent does not offer right now. (I am a demo model.)`,
    result: (tool, output) =>
      `The tool \`${tool}\` returned:\n\n${fence(output)}\n\nA real model would continue from here; I am only a demo.`,
  },
  zh: {
    help: [
      '我是**演示模型**：离线运行，按固定规则作答，并非真实的 AI。',
      '',
      '我可以演示：',
      '- `ls` 或“列出文件”：调用工具 `ls`',
      '- “写文件 notes.txt 内容：……”：调用工具 `write_file`',
      '- “读取 notes.txt”：调用工具 `read_file`',
      '- “思考……”：在回答前显示思考过程',
      '- 其他内容：我会复述一遍',
      '',
      '若要使用真实模型，请打开**模型**页面，添加服务商并填写其密钥，然后选择模型。',
    ].join('\n'),
    echo: (question) =>
      [
        '我是**演示模型**，并非真实的 AI：目前尚未配置真实的模型服务商。您说的是：',
        '',
        block(question || '（空）'),
        '',
        '若要获得真实回答，请打开**模型**页面，添加服务商并填写其密钥，然后选择模型。发送“帮助”可查看我能演示的内容。',
      ].join('\n'),
    thought: (question) => `真实的模型会在这里思考“${question}”。我只演示思考过程显示的位置。`,
    calling: (tool) => `正在调用工具 \`${tool}\`。`,
    notOffered: (tool) => `这需要工具 \`${tool}\`，但当前智能体没有提供它。（我是演示模型。）`,
    result: (tool, output) =>
      `工具 \`${tool}\` 返回：\n\n${fence(output)}\n\n真实的模型会据此继续；我只是演示模型。`,
  },
}
