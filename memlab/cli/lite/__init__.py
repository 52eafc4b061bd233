"""``lite``: builds a taste of the course that runs in a browser tab.

The result is a folder of static files: JupyterLite, with Pyodide as its
Python. A learner needs only a browser, and a teacher only a server of files.
"""
