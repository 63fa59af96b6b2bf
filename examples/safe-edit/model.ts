/** The agent's view before it writes its next code: the output of its last code, and the fate of its changes. */
export type Observation = { output: string; notes: readonly string[] };

/** A language model in the place of which any other one can stand. */
export type Model = {
  /** The code of the agent's next step, or null if it has nothing more to do. */
  nextStep(observation: Observation): Promise<string | null>;
  /** The answer to a prompt that the agent's code has sent, and the tokens that it took. */
  complete(prompt: string): Promise<{ text: string; tokens: number }>;
};

const fix = `
text = open("stats.py").read()
open("stats.py", "w").write(text.replace("/ 10", "/ len(numbers)"))
print("fixed the divisor")
`;

const report = (title: string) => `
import importlib, stats
importlib.reload(stats)
numbers = [float(line) for line in open("numbers.txt")]
summary = holdfast.call("llm.complete", f"Summarise: the mean of {len(numbers)} numbers is {stats.mean(numbers)}")
open("report.md", "w").write("${title}\\n\\n" + summary + "\\n")
`;

/** Writes the same code every time, so that anyone can try the host without a model, and a test can, too. */
export function scriptedModel(): Model {
  const script = [
    'import stats\nprint("the mean of 2 and 4 is", stats.mean([2.0, 4.0]))',
    fix,
    'open("numbers.txt", "w").write("1\\n")\nprint("made the numbers easier")',
    report('REPORT'),
    report('# Report'),
    'print("polishing")',
    'print("polishing again")',
  ];
  return {
    nextStep: async () => script.shift() ?? null,
    complete: async (prompt) => ({ text: `In short: ${prompt.replace(/^Summarise: /, '')}.`, tokens: prompt.length }),
  };
}
