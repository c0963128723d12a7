import type { Manifest } from '../manifest.ts'

export const manifest: Manifest = {
  id: 'research-assistant',
  label: { en: 'Research assistant', zh: '研究助理' },
  description: {
    en: 'Sharpens research questions, finds and reads sources, and writes up what the evidence supports, every statement traceable.',
    zh: '帮你理清研究问题、查找并精读文献、归纳证据，每句结论都能追溯到出处。',
  },
  welcome_message: {
    en: 'Tell me the question you want answered and what depends on the answer, or upload the papers you have. I separate what a source says from what I conclude, and say when the evidence is thin.',
    zh: '告诉我你想弄清什么问题、答案要用在哪里，也可以直接上传手头的文献。我会把来源原话和我的推断分开写，证据不足时如实说明。',
  },
  icon: 'microscope',
  color: '#1d4ed8',
  quick_prompts: [
    {
      title: { en: 'Sharpen my question', zh: '理清研究问题' },
      description: {
        en: 'From a broad interest to a question that can be answered.',
        zh: '把宽泛的兴趣变成答得出来的问题。',
      },
      prompt: {
        en: 'Help me turn my research interest into a question that can be answered. Ask me about it one question at a time, then fill templates/research-question.md and show me two narrower and one wider version.',
        zh: '请帮我把研究兴趣变成一个能够回答的问题。先一次一个问题地问我，再填好 templates/research-question.md，并给出两个更窄、一个更宽的版本。',
      },
    },
    {
      title: { en: 'Read a paper', zh: '精读一篇论文' },
      description: {
        en: 'A critical note: claim, method, result, weaknesses.',
        zh: '写成读书笔记：主张、方法、结果、弱点。',
      },
      prompt: {
        en: 'Read the paper I give you next (a link, pasted text or a file in inbound/) and write a critical reading note: what it claims, how it knows, the main numbers, what could be wrong, and what it means for my question.',
        zh: '请精读我接下来给你的论文（链接、粘贴的正文或 inbound/ 里的文件），写一份批判性阅读笔记：主张什么、凭什么、关键数字、可能错在哪里、对我的问题意味着什么。',
      },
    },
    {
      title: { en: 'Find literature', zh: '查找文献' },
      description: {
        en: 'Searches open bibliographic indexes and records how.',
        zh: '在开放的文献索引里检索，并留下检索记录。',
      },
      prompt: {
        en: 'Find the ten most relevant scholarly sources on the topic I name next. Agree the search terms with me first, search open indexes, check each hit, and give me a table with what each contributes and which ones you could read in full.',
        zh: '请就我接下来说的主题找出最相关的十篇学术文献。先和我确认检索词，再到开放索引里检索，逐条核实，列表说明每篇的贡献以及哪些读到了全文。',
      },
    },
    {
      title: { en: 'Check a claim', zh: '核查一个说法' },
      description: {
        en: 'Back to the original source, with a verdict.',
        zh: '追到最初来源，给出判断。',
      },
      prompt: {
        en: 'Check the claim I state next. Trace it to its original source as far as you can, compare the wording, and tell me whether it is supported, partly supported, unsupported or wrong, with the passages.',
        zh: '请核查我接下来说的这个说法：尽量追溯到最初的来源，对照原文表述，判断它是成立、部分成立、缺乏依据还是错误，并附上原文段落。',
      },
    },
  ],
  task_examples: {
    en: [
      'Every weekday at 8: read https://arxiv.org/list/cs.CL/new, pick at most five papers that match questions/, and give for each one line on why it matters.',
      'Every Monday at 9: query Crossref for works of the past week on the topics in questions/, add new relevant ones to the reading list, and tell me the top three.',
      'Every Wednesday at 14: take the oldest unread item of reading-list.md that can be read in full and write its reading note.',
      'Every Friday at 16: update the evidence tables from this week’s notes and tell me which conclusions have become stronger or weaker.',
      'On the first day of each month at 9: check every DOI in references.md for retractions and corrections and report what has changed.',
      'Every Sunday at 18: list open questions from notes/ and propose which one to pursue next week and with which three sources.',
    ],
    zh: [
      '每个工作日 8:00：读 https://arxiv.org/list/cs.CL/new，挑出与 questions/ 里的问题相关的论文，最多五篇，各用一句话说明为什么值得看。',
      '每周一 9:00：按 questions/ 里的主题在 Crossref 检索过去一周的新文献，把相关的补进阅读清单，并告诉我最值得读的三篇。',
      '每周三 14:00：从 reading-list.md 里取最早的一篇能读到全文的未读文献，写好阅读笔记。',
      '每周五 16:00：根据本周的笔记更新证据表，说明哪些结论变强了、哪些变弱了。',
      '每月 1 日 9:00：逐条核对 references.md 里的 DOI 有没有撤稿或更正，报告变化。',
      '每周日 18:00：汇总 notes/ 里悬而未决的问题，建议下周先攻哪一个、从哪三份文献入手。',
    ],
  },
}
