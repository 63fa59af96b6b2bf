# %% display of a value
display(5)
# %% display of several values
display(1, 'two', [3])
# %% display and a value
display('shown')
'last'
# %% display of nothing
display()
# %% display of None
display(None)
# %% display of a long list wraps
display(list(range(40)))
# %% display gives nothing
print(display(1))
# %% display between prints
print('before')
display({'a': 1})
print('after')
# %% display of an object without a repr
class Plain:
    pass
display(Plain())
# %% an HTML method
class Rich:
    def __repr__(self):
        return 'rich'
    def _repr_html_(self):
        return '<b>rich</b>'
Rich()
# %% rich objects in a list are plain
[Rich(), Rich()]
# %% a class with an HTML method
Rich
# %% display of an HTML method
display(Rich())
# %% every text method
class Every:
    def __repr__(self):
        return 'every'
    def _repr_html_(self):
        return '<i>every</i>'
    def _repr_markdown_(self):
        return '*every*'
    def _repr_latex_(self):
        return '$every$'
    def _repr_svg_(self):
        return '<svg/>'
    def _repr_json_(self):
        return {'every': True}
    def _repr_javascript_(self):
        return 'every()'
Every()
# %% images
class Picture:
    def __repr__(self):
        return '<picture>'
    def _repr_png_(self):
        return b'\x89PNG\r\n\x1a\n'
    def _repr_jpeg_(self):
        return b'\xff\xd8'
    def _repr_pdf_(self):
        return b'%PDF-1.4'
Picture()
# %% a method that has nothing to give
class Shy:
    def __repr__(self):
        return 'shy'
    def _repr_html_(self):
        return None
Shy()
# %% a method that is not made
class Lazy:
    def __repr__(self):
        return 'lazy'
    def _repr_html_(self):
        raise NotImplementedError
Lazy()
# %% a method with metadata
class Sized:
    def __repr__(self):
        return 'sized'
    def _repr_png_(self):
        return b'\x89PNG', {'width': 10}
Sized()
# %% a bundle
class Bundle:
    def __repr__(self):
        return 'bundle'
    def _repr_mimebundle_(self, include=None, exclude=None):
        return {'text/html': '<u>bundle</u>', 'application/x.own+json': {'a': 1}}
Bundle()
# %% a bundle with text of its own
class Named:
    def __repr__(self):
        return 'never'
    def _repr_mimebundle_(self, **keywords):
        return {'text/plain': 'own text', 'text/html': '<b/>'}
Named()
# %% a bundle with metadata
class Described:
    def __repr__(self):
        return 'described'
    def _repr_mimebundle_(self, include, exclude):
        return {'image/png': 'iVBORw=='}, {'image/png': {'width': 5}}
Described()
# %% a bundle and an HTML method
class Mixed:
    def __repr__(self):
        return 'mixed'
    def _repr_html_(self):
        return 'from the method'
    def _repr_mimebundle_(self, include=None, exclude=None):
        return {'application/x.mixed': 'm'}
Mixed()
# %% an object that displays itself
class Own:
    def _ipython_display_(self):
        print('displays itself')
Own()
# %% display of an object that displays itself
display(Own())
# %% an object that displays itself as something else
class Else:
    def _ipython_display_(self):
        display('something else')
Else()
# %% an object that displays itself in a list
class Silent:
    def _ipython_display_(self):
        pass
    def __repr__(self):
        return 'silent'
[Silent()]
# %% a raw bundle
display({'text/plain': 'raw', 'text/html': '<p>raw</p>'}, raw=True)
# %% display without some types
display(Every(), exclude=['text/html', 'text/latex'])
# %% display with some types alone
display(Every(), include=['text/plain', 'text/markdown'])
# %% a handle
handle = display('first', display_id='mine')
handle.display_id
# %% a handle shows itself
type(handle).__name__
# %% HTML of IPython's display
from IPython.display import HTML, Markdown, Latex, JSON, SVG, Javascript, Image, display
HTML('<b>bold</b>')
# %% HTML displayed
display(HTML('<b>bold</b>'))
# %% Markdown
Markdown('# title')
# %% Latex and Math
from IPython.display import Math
display(Latex('$x$'), Math('x^2'))
# %% JSON
JSON({'a': [1, 2]})
# %% SVG
SVG('<svg xmlns="http://www.w3.org/2000/svg"></svg>')
# %% Javascript
Javascript('1')
# %% an image of bytes
Image(b'\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00')
# %% an image by address
Image(url='https://example.org/a.png')
# %% text of HTML
HTML('<b>bold</b>').data, str(type(HTML('x')).__name__)
# %% Pretty, Code and Audio
from IPython.display import Pretty, clear_output
Pretty('as it is')
# %% a frame
from IPython.display import IFrame
IFrame('https://example.org', 100, 50)
# %% display by the module
import IPython.display
IPython.display.display('by the module')
# %% a method that is an attribute
class Attribute:
    _repr_html_ = 'no method'
    def __repr__(self):
        return 'attribute'
Attribute()
# %% a failing HTML method
class Failing:
    def __repr__(self):
        return 'failing'
    def _repr_html_(self):
        raise RuntimeError('no html')
Failing()
# %% an HTML method that gives no text
class Wrong:
    def __repr__(self):
        return 'wrong'
    def _repr_html_(self):
        return 5
Wrong()
# %% an object that answers to any name
class Any:
    def __getattr__(self, name):
        return lambda *args, **more: 'anything'
    def __repr__(self):
        return '<any>'
Any()
# %% a pretty method and an HTML method
class Double:
    def _repr_pretty_(self, p, cycle):
        p.text('double')
    def _repr_html_(self):
        return '<b>double</b>'
Double()
# %% display of an exception
display(ValueError('x'))
