/**
 * The script that runs the code on its standard input as a file, so that tracebacks quote it, and stores figures of
 * matplotlib that the code has not stored itself: those that it shows, and those that are left open at its end.
 */
export const PYTHON_RUNNER = `
import sys
# Files of the workspace must not replace the modules of this script.
here = sys.path.pop(0)
import atexit, importlib.abc, importlib.util, os, shutil, tempfile, traceback, types, weakref
sys.path.insert(0, here)

MAX_FIGURES = 20
workspace, folder, owner = os.path.realpath(os.environ['HOME']), os.getcwd(), os.getpid()
scratch = tempfile.mkdtemp(prefix='svc-python-')
atexit.register(lambda: os.getpid() == owner and shutil.rmtree(scratch, True))
os.environ['MPLBACKEND'] = 'Agg'
os.environ['MPLCONFIGDIR'] = scratch
stored = weakref.WeakSet()
count = 0

def note_stored_figures(module):
    save = module.Figure.savefig
    def savefig(figure, fname, *args, **options):
        result = save(figure, fname, *args, **options)
        if isinstance(fname, (str, os.PathLike)):
            if os.path.realpath(fname).startswith(workspace + os.sep):
                stored.add(figure)
        return result
    module.Figure.savefig = savefig

def store_figures(pyplot):
    global count
    for number in pyplot.get_fignums():
        figure = pyplot.figure(number)
        if figure not in stored and count < MAX_FIGURES:
            count += 1
            figure.savefig(find_name(), bbox_inches='tight')
        pyplot.close(number)

def find_name():
    number = 1
    while os.path.lexists(os.path.join(folder, f'figure-{number}.png')):
        number += 1
    return os.path.join(folder, f'figure-{number}.png')

def store_shown_figures(module):
    module.show = lambda *args, **options: store_figures(module)

class Hook(importlib.abc.MetaPathFinder):
    changes = {'matplotlib.figure': note_stored_figures, 'matplotlib.pyplot': store_shown_figures}
    def find_spec(self, name, path=None, target=None):
        change = self.changes.pop(name, None)
        spec = change and importlib.util.find_spec(name)
        if spec:
            load = spec.loader.exec_module
            def exec_module(module):
                load(module)
                change(module)
            spec.loader.exec_module = exec_module
        return spec

sys.meta_path.insert(0, Hook())
path = os.path.join(scratch, 'code.py')
code = sys.stdin.buffer.read().decode('utf-8')
with open(path, 'w', encoding='utf-8') as file:
    file.write(code)
main = types.ModuleType('__main__')
main.__file__ = path
main.__builtins__ = __builtins__
sys.modules['__main__'] = main
sys.argv = [path]
failed = False
try:
    exec(compile(code, path, 'exec', dont_inherit=True), main.__dict__)
except Exception as error:
    failed = True
    traceback.print_exception(type(error), error, error.__traceback__.tb_next)
finally:
    if 'matplotlib.pyplot' in sys.modules:
        store_figures(sys.modules['matplotlib.pyplot'])
sys.exit(failed)
`
