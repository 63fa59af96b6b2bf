"""Analyses a table in a session, and stores the chart that the code draws."""
import base64

from holdfast import Holdfast

RAIN = """city,month,millimetres
Bergen,June,132
Bergen,July,155
Lisbon,June,15
Lisbon,July,4
"""

with Holdfast() as holdfast, holdfast.sessions.create() as session:
    session.files.write("rain.csv", RAIN)
    step = session.run("import matplotlib, pandas; rain = pandas.read_csv('rain.csv')")
    if step.error:
        raise SystemExit(f"{step.error.name}: {step.error.message}")
    print(session.run("rain.groupby('city').millimetres.sum()").text)

    step = session.run("_ = rain.pivot(index='month', columns='city', values='millimetres').plot.bar()")
    [figure] = [result.data["image/png"] for result in step.results if "image/png" in result.data]
    with open("rain.png", "wb") as file:
        file.write(base64.b64decode(figure))
    print("see rain.png")
